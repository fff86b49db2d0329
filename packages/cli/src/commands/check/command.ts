import { type Command, Option } from 'commander'
import { type Act, does, examples } from '../act.js'
import { withAnnotator } from '../flags.js'

export function checkCommand(program: Command, act: Act): void {
  const check = withAnnotator(
    program.command('check [path...]').description('Annotate transcripts and fail when any is judged too bad'),
  )
    .addOption(
      new Option('--fail-on <outcome>', 'fail at this outcome or a worse one')
        .choices(['strong', 'mixed', 'poor', 'critical'])
        .default('poor'),
    )
    .addHelpText(
      'after',
      `
Outcomes from best to worst: strong, mixed, poor, critical; indeterminate counts as not judged.

Exit codes: 0 passed, 100 failed, 101 could not judge, 75 could not judge now (run again).
${examples('svc check transcripts/ --annotator structural', 'svc check talks.jsonl --annotator patterns --fail-on critical --json')}`,
    )
  does(check, act, async () => (await import('./run.js')).check)
}
