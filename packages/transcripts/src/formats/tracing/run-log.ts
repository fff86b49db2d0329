import { defineFormat, type Format, messagesOfRun } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { holdsText, type Losses, type Place, type Placed, reasons, startOfFile } from '../../model/index.js'
import { isToolSpan, readerOfRuns, toolOf } from './run-reader.js'
import { nanosOf, type Span } from './span.js'
import type { TraceFacts } from './trace-log.js'

/** A step of a run as a tool logs it: facts, and an input and an output in the shape of any provider. */
export interface LoggedRun
  extends Pick<Span, 'trace' | 'id' | 'parent' | 'conversation' | 'kind' | 'model' | 'error' | 'isWhole'> {
  place: Place
  /** The name, which a tool is called by. */
  name?: unknown
  startAt?: unknown
  endAt?: unknown
  input: Placed
  output: Placed
  /** Facts about the whole run. */
  facts?: TraceFacts | undefined
  /** Notes texts that are read in another form, and counts fields that are lost. */
  count?(losses: Losses): void
}

interface RunLog<Id extends string> extends Pick<Format<Id>, 'id' | 'title' | 'accepts' | 'fields' | 'structure'> {
  /** The score of a record. Default: a high one if it has runs. */
  signature?(value: unknown): number
  /** The runs in a record; none if it is of another format. */
  runsIn(value: JsonObject, place: Place): LoggedRun[]
}

/** The format of a log of runs, by what is in one of its records. */
export function formatOfRuns<const Id extends string>({ runsIn, ...declared }: RunLog<Id>): Format<Id> {
  const scoreOf = (value: unknown) => (isObject(value) && runsIn(value, startOfFile).length > 0 ? 0.97 : 0)
  const format: Format<Id> = defineFormat({
    signature: scoreOf,
    ...declared,
    // Ids of steps only join them.
    structure: `id type role trace_id span_id tool_call_id project_id ${declared.structure ?? ''}`,
    isGeneric: true,
    recordsRepeat: true,
    reader: (context) =>
      readerOfRuns(format, context, (value, place, log) => {
        const runs = runsIn(value, place)
        for (const { facts, count, ...run } of runs) {
          const losses = log.lossesOf(run.trace, run.place)
          losses.note(run.error)
          const { name, kind } = run
          if (isToolSpan(name)) losses.note(name)
          else if (!losses.noteWord(name) && kind !== 'tool' && name !== facts?.name)
            losses.dropValue(name, 'name of a step', reasons.notConversation)
          // A JSON text of numbers has no text that the call could be compared by.
          if (run.kind === 'tool' && typeof run.input.value === 'string') losses.note(run.input.value)
          count?.(losses)
          log.add(spanOf(run, losses))
          if (facts) log.addFacts(run.trace, facts, run.place)
        }
        return runs.length > 0
      }),
  })
  return format
}

function spanOf({ input, output, name, ...run }: Omit<LoggedRun, 'facts' | 'count'>, losses: Losses): Span {
  const { kind, error } = run
  return {
    ...run,
    isFilled: holdsText(input.value) || holdsText(output.value),
    start: nanosOf(run.startAt),
    tool: kind === 'tool' ? toolOf(name, input.value, output.value, error) : undefined,
    input: () => messagesOfRun(input.value, 'user', input.place, losses, false),
    output: () => messagesOfRun(output.value, 'assistant', output.place, losses, kind === 'model'),
  }
}
