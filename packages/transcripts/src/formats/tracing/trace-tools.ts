import { decoded, type ToolResultInput } from '../../conversation/index.js'
import { isObject } from '../../json/index.js'
import { byTime } from './nanos.js'
import { type Entry, entryOfCall, entryOfResult, markOf } from './recorder.js'
import type { ToolStep } from './span.js'

/**
 * A conversation with what its tools did, where it does not tell of it itself: before what was asked for later. `rewritten` is
 * how many calls or answers the conversation tells in other words than the spans of the tools.
 */
export function withTools(
  body: readonly Entry[],
  times: ReadonlyMap<string, bigint>,
  tools: readonly ToolStep[],
): { body: readonly Entry[]; rewritten: number } {
  if (tools.length === 0) return { body, rewritten: 0 }
  const { answers, fresh, rewritten } = matchTools(body, tools)
  if (answers.size === 0 && fresh.length === 0) return { body, rewritten }
  const all: Entry[] = []
  let next = 0
  const emit = (until: bigint | undefined) => {
    for (let tool = fresh[next]; tool && isBefore(tool, until); tool = fresh[++next]) all.push(...callAndResult(tool))
  }
  for (const entry of body) {
    const time = times.get(entry.key)
    if (time !== undefined) emit(time)
    all.push(entry)
    const answer = answers.get(entry)
    if (answer && entry.action.kind === 'call') all.push(resultFor(entry.action.call.id, answer))
  }
  emit(undefined)
  return { body: all, rewritten }
}

/** The time of what comes after all that tools did. */
export const lastOfAll = 2n ** 64n

/** A tool without a time is done before the last answer. */
function isBefore({ start = lastOfAll - 1n }: ToolStep, until: bigint | undefined): boolean {
  return until === undefined || start < until
}

/** What a call of a tool says in a conversation that tells nothing of it. */
export function callAndResult({ tool, context }: ToolStep): readonly Entry[] {
  return [entryOfCall({ id: tool.id, name: tool.name, args: tool.args }, context), entryOfResult(tool, context)]
}

/** The answer of a tool to a call that waits for it. */
export function resultFor(id: unknown, { tool, context }: ToolStep): Entry {
  const { name, output, error } = tool
  return entryOfResult({ id, name, output, error }, context)
}

/** A call that a conversation tells of, with its answer unless it waits for one. */
interface KnownCall {
  call: Entry | undefined
  id: unknown
  name: unknown
  args: unknown
  output: unknown
  isAnswered: boolean
  isMatched: boolean
}

/** A property that identifies a call; undefined if it has no such mark. */
type Mark = (call: Pick<ToolResultInput, 'id' | 'name' | 'output'> & { args: unknown }) => string | undefined

/** The same id is surest, then the same answer, then that to the same arguments, for spans that have names of their own. */
const marks: readonly Mark[] = [
  ({ id }) => (id === undefined ? undefined : markOf(id)),
  ({ name, output }) => {
    const text = textOfOutput(output)
    return text === undefined ? undefined : `${markOf(name)} ${text}`
  },
  ({ args, output }) => {
    const text = textOfOutput(output)
    const input = decoded(args)
    const isUnique = text !== undefined && isObject(input) && Object.keys(input).length > 0
    return isUnique ? `${JSON.stringify(input)} ${text}` : undefined
  },
  // The calls of one tool that are left follow each other.
  ({ name }) => markOf(name),
]

function textOfOutput(output: unknown): string | undefined {
  return typeof output === 'string' ? output.trim() : output === undefined ? undefined : JSON.stringify(output)
}

/** Which tools answer a call that waits, and of which the conversation does not tell at all. */
function matchTools(body: readonly Entry[], tools: readonly ToolStep[]) {
  const calls = callsIn(body)
  const answers = new Map<Entry, ToolStep>()
  let fresh = [...tools].sort(byTime)
  let rewritten = 0
  marks.forEach((markOf, sureness) => {
    if (fresh.length === 0) return
    const all = new Queues()
    const nameless = new Queues()
    for (const each of calls) {
      all.add(markOf(each), each)
      if (each.id === undefined) nameless.add(markOf(each), each)
    }
    fresh = fresh.filter((step) => {
      // Two calls that both have ids are the same only by them.
      const queues = sureness === 0 || step.tool.id === undefined ? all : nameless
      const own = queues.first(markOf(step.tool), ({ isMatched }) => !isMatched)
      if (own === undefined) return true
      own.isMatched = true
      if (isRewritten(step, own)) rewritten++
      if (!own.isAnswered && own.call) answers.set(own.call, step)
      return false
    })
  })
  return { answers, fresh, rewritten }
}

/** True if the span of a tool differs from the same call in the conversation. */
function isRewritten({ tool }: ToolStep, { call, args, output, isAnswered }: KnownCall): boolean {
  return (call !== undefined && !holds(args, tool.args)) || (isAnswered && !holds(output, tool.output))
}

function holds(calls: unknown, own: unknown): boolean {
  const text = textOfOutput(decoded(own))
  return text === undefined || (textOfOutput(decoded(calls)) ?? '').includes(text)
}

function callsIn(body: readonly Entry[]): KnownCall[] {
  const calls: KnownCall[] = []
  const waiting = new Queues()
  for (const entry of body) {
    const { action } = entry
    if (action.kind === 'call') {
      const { id, name, args } = action.call
      const call: KnownCall = { call: entry, id, name, args, output: undefined, isAnswered: false, isMatched: false }
      calls.push(call)
      waiting.add(keyOf(id, name), call)
      if (id !== undefined) waiting.add(keyOf(undefined, name), call)
    } else if (action.kind === 'result') {
      const { id, name, output } = action.result
      const call = waiting.first(keyOf(id, name), ({ isAnswered }) => !isAnswered)
      if (call) {
        call.output = output
        call.isAnswered = true
      } else calls.push({ call: undefined, id, name, args: undefined, output, isAnswered: true, isMatched: false })
    }
  }
  return calls
}

function keyOf(id: unknown, name: unknown): string {
  return id === undefined ? `of ${markOf(name)}` : `id ${markOf(id)}`
}

/** Calls in the order in which they came, by a mark; each is passed for good once it is no longer wanted. */
class Queues {
  readonly #queues = new Map<string, { list: KnownCall[]; next: number }>()

  add(mark: string | undefined, call: KnownCall): void {
    if (mark === undefined) return
    const queue = this.#queues.get(mark)
    if (queue) queue.list.push(call)
    else this.#queues.set(mark, { list: [call], next: 0 })
  }

  first(mark: string | undefined, isWanted: (call: KnownCall) => boolean): KnownCall | undefined {
    const queue = mark === undefined ? undefined : this.#queues.get(mark)
    if (queue === undefined) return undefined
    for (let call = queue.list[queue.next]; call; call = queue.list[++queue.next]) if (isWanted(call)) return call
    return undefined
  }
}
