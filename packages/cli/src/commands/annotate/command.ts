import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { withAnnotator } from '../flags.js'

export function annotateCommand(program: Command, act: Act): void {
  const annotate = withAnnotator(
    program
      .command('annotate <path>')
      .description('Annotate transcripts: a file, a directory (recursive), or - for standard input'),
  ).addHelpText(
    'after',
    examples(
      'svc annotate transcript.json --annotator structural',
      'svc annotate talks.jsonl --annotator patterns --json',
    ),
  )
  does(annotate, act, async () => (await import('./run.js')).annotate)
}
