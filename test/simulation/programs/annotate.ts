import type { Choices } from '../choices.js'
import { type CommandResult, runCommand } from '../io.js'
import { createMachine } from '../machine.js'
import { type Annotating, annotatorId, drawAnnotator } from './annotator.js'
import type { DrawScenario, Program } from './program.js'

/** The fields of the documents of `svc annotate --json` that a promise is about. */
interface AnnotationDocument {
  schema: string
  path?: string
  record?: number
  annotation?: { outcome: string; outcome_notes: string; annotator_version: string }
  error?: { exit: number }
}

/** `svc annotate` until all transcripts are annotated. */
export const drawAnnotations: DrawScenario = ({ scheduler, choices, service }) => {
  const annotating = drawAnnotator(service, choices, scheduler)
  const broken: string[] = []
  return { programs: [annotatorOf(annotating, choices, broken)], broken: () => broken }
}

function annotatorOf({ service, given }: Annotating, choices: Choices, broken: string[]): Program {
  const machine = createMachine('m1', choices)
  const contents = Array.from({ length: 1 + choices.oneOf(5, 0.2) }, (_, i) => `content ${i}`)
  const text = contents.map((content) => `${JSON.stringify({ name: 'T', turns: [{ role: 'user', content }] })}\n`)
  machine.disk.place('/in.jsonl', text.join(''))
  const argv = [
    'annotate',
    '/in.jsonl',
    '--annotator',
    annotatorId,
    '--json',
    `--concurrency=${1 + choices.oneOf(3, 0.3)}`,
  ]
  return {
    name: 'annotate',
    machine,
    async run(own, stop) {
      const result = await runCommand(own, argv, { service, stop })
      if (own.process.isDead) return { text: 'killed', state: 'again' }
      const found = brokenOutput(result, contents, given, stop.signal.aborted)
      broken.push(...found.map((each) => `${own.process.name}: ${each}`))
      return { text: `exit ${result.code}`, state: result.code === 0 ? 'done' : 'again' }
    },
  }
}

/** "stdout is data", each line of it is true, and so is the exit code (design section 6). */
function brokenOutput(
  { code, out }: CommandResult,
  contents: readonly string[],
  given: Annotating['given'],
  isStopped: boolean,
): string[] {
  const broken: string[] = []
  const holds = (isTrue: boolean, sentence: string) => {
    if (!isTrue) broken.push(sentence)
  }
  const texts = contents.length === 1 ? [out] : out.split('\n')
  const documents: AnnotationDocument[] = texts.filter((text) => text.trim() !== '').map((text) => JSON.parse(text))
  const all = documents.filter(({ schema }) => schema === 'svc/annotation@1')
  const failure = documents.find(({ schema }) => schema === 'svc/error@1')
  const records = all.map(({ record = 1 }) => record)
  holds(
    records.every((record, at) => at === 0 || record > (records[at - 1] ?? 0)),
    `each is printed once, in order: ${records}`,
  )
  for (const { record = 1, annotation } of all) {
    if (!annotation) continue
    const answer = given.find(({ outcome_notes }) => outcome_notes === annotation.outcome_notes)
    const isOwn = answer?.content === contents[record - 1] && !answer?.isMalformed
    holds(isOwn && answer?.outcome === annotation.outcome, `an annotation is that of its own transcript: ${record}`)
  }
  const codes = all.map(({ error }) => error?.exit ?? 0)
  const expected = isStopped ? 143 : (failure?.error?.exit ?? codeOf(codes))
  holds(code === expected, `the exit code is true: ${code} instead of ${expected} for [${codes}]`)
  if (code === 0)
    holds(codes.length === contents.length, `0 means that all are annotated: ${codes.length} of ${contents.length}`)
  holds(code !== 1, 'no run ends with a bug')
  return broken
}

/** The first code of this order that applies, or that of a reason which all share. */
function codeOf(codes: readonly number[]): number {
  const [first = 0] = codes
  if (codes.length <= 1 || ([3, 4, 5].includes(first) && codes.every((code) => code === first))) return first
  const failed = codes.filter((code) => code !== 0)
  return [1, 4, 75, 10].find((code) => failed.includes(code)) ?? (failed.length > 0 ? 8 : 0)
}
