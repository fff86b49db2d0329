import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { isoTime } from '../arguments.js'
import { withPaging } from '../flags.js'
import { getTranscript, listTranscripts } from './run.js'

export function transcriptsCommand(transcripts: Command, act: Act): void {
  const list = withPaging(transcripts.command('list').description('List the transcripts of a project'))
    .option('--project <id>', 'project (default: SVC_PROJECT)')
    .option('--q <text>', 'full-text search across transcript content')
    .option('--model-name <name>', 'only this model')
    .option('--language <code>', 'only this language')
    .option('--source-system <name>', 'only this source system')
    .option('--annotation <key:value>', 'only those annotated so')
    .option('--from-date <time>', 'source timestamp at or after this ISO 8601 time', isoTime)
    .option('--to-date <time>', 'source timestamp at or before this ISO 8601 time', isoTime)
    .addHelpText(
      'after',
      examples('svc transcripts list --q refund', 'svc transcripts list --from-date 2026-01-01 --all --json'),
    )
  does(list, act, listTranscripts)

  const get = transcripts
    .command('get <transcriptId>')
    .description('Show one transcript with all its turns and annotations')
    .addHelpText('after', examples('svc transcripts get tr_…', 'svc transcripts get tr_… --json'))
  does(get, act, getTranscript)
}
