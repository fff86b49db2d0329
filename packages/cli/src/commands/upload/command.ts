import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { bytes, shard, upTo } from '../arguments.js'
import { withGuard, withIdentity, withReading, withSessions } from '../flags.js'
import { upload } from './run.js'

export function uploadCommand(command: Command, act: Act): void {
  withGuard(
    withIdentity(
      withSessions(withReading(command)).option('--project <id>', 'project to upload to (default: SVC_PROJECT)'),
    ),
  )
    .option('-j, --concurrency <n>', 'uploads at a time', upTo(64), 4)
    .option('--max-in-flight <size>', 'bytes of uploads at a time', bytes, 32_000_000)
    .option('--continue-on-invalid', 'upload what is valid, and leave the rest out')
    .option('--rejects <file>', 'write what is left out, with what is wrong, to a file of JSON lines')
    .option('--ledger <dir>', 'folder that keeps what was uploaded (default: SVC_STATE_DIR, else XDG_STATE_HOME)')
    .option('--again', 'upload what the ledger has as stored, too')
    .option('--skip-changed', 'leave out what is stored under the same external id with other content')
    .option('--no-stamp', 'leave out the mark by which an upload is found when its answer is lost')
    .option('--shard <i/n>', 'upload the part of the work that is shard i of n', shard)
    .option('-n, --dry-run', 'check everything and say what would be uploaded')
    .addHelpText(
      'after',
      examples(
        'svc upload transcript.json --project hp-…',
        'svc upload conversations/ --no-process --metadata team=support',
        'svc upload talks.jsonl --continue-on-invalid --rejects rejects.jsonl',
        'svc upload conversations/ --shard 1/4',
        'cat talks.jsonl | svc upload - --json',
        'svc upload --source claude-code --since 7d --cwd .',
      ),
    )
  does(command, act, upload)
}
