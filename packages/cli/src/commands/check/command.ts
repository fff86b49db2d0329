import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { withAnnotator } from '../flags.js'
import { withCheck, withPolicy } from './check-flags.js'
import { check } from './run.js'

export function checkCommand(command: Command, act: Act): void {
  withCheck(withPolicy(withAnnotator(command, 'flag or policy'))).addHelpText(
    'after',
    `
Outcomes from best to worst: strong, mixed, poor, critical; indeterminate counts as not judged.

Exit codes: 0 passed, 100 failed, 101 could not judge, 75 could not judge now (run again).
${examples(
  'svc check transcripts/ --annotator structural',
  'svc check talks.jsonl --annotator patterns --fail-on critical --json',
  'svc check transcripts/ --annotator structural --report html=report.html --report junit=junit.xml',
  'svc check transcripts/ --annotator structural --baseline baseline.json --update-baseline',
  'svc check transcripts/ --annotator patterns --max-rate poor=50% --confidence 0.8 --min-judged 90%',
)}`,
  )
  does(command, act, check)
}
