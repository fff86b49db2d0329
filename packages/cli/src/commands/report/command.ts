import { type Command, InvalidArgumentError } from 'commander'
import { type DiffTarget, diffFormats, fileTargetOf } from '../../reports/index.js'
import { type Act, does, examples } from '../act.js'
import { withReports } from '../flags.js'
import { diffOfReports } from './diff.js'
import { mergeReportsIn } from './merge.js'

export function reportCommand(report: Command, act: Act): void {
  const merge = withReports(
    report
      .command('merge <path...>')
      .description('Make one report of several: of parts of a check, or of a run that broke off and a second'),
  ).addHelpText(
    'after',
    `
A directory stands for the .json files in it. A transcript that two reports have is taken once; they
must agree on it, unless only one of them could judge it.

Exit codes: those of svc check, told anew of all transcripts; 101 also for reports that are not
comparable, 3 for reports that contradict each other.
${examples('svc report merge reports/ --report json=all.json', 'svc report merge part-1.json part-2.json --json')}`,
  )
  does(merge, act, mergeReportsIn)

  const diff = report
    .command('diff <before-file> <after-file>')
    .description('Show what changed from one report to another, the worst first')
    .option(
      '--report <format=file>',
      `write it: ${diffFormats.join(', ')} to a file or - for standard output; repeatable`,
      diffTarget,
    )
    .option('--exit-code', 'exit 100 when something is worse')
    .option('--anyway', 'compare reports that were not made alike, and say in what they differ')
    .addHelpText(
      'after',
      `
Reports of another annotator, version, service, policy, or with other options or attempts are refused with 101.
${examples('svc report diff before.json after.json', 'svc report diff before.json after.json --report md=diff.md')}`,
    )
  does(diff, act, diffOfReports)
}

/** For `--report`, gathered over repetitions. */
function diffTarget(text: string, before: readonly DiffTarget[] = []): readonly DiffTarget[] {
  const parsed = fileTargetOf(text, diffFormats)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE with one of ${diffFormats.join(', ')}.`)
}
