import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { withAnnotator } from '../flags.js'
import { annotate } from './run.js'

export function annotateCommand(command: Command, act: Act): void {
  withAnnotator(command).addHelpText(
    'after',
    examples(
      'svc annotate transcript.json --annotator structural',
      'svc annotate talks.jsonl --annotator patterns --json',
    ),
  )
  does(command, act, annotate)
}
