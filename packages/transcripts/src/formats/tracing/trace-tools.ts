import { parseJsonText, type ToolResultInput } from '../../conversation/index.js'
import { getOrInsert, isObject } from '../../json/index.js'
import { type Entry, entryOfCall, entryOfResult, markOf } from './recorder.js'
import type { ToolStep } from './span.js'
import { byTime } from './span.js'

/**
 * Add the tool calls and results that a conversation lacks, before the messages that came later. `rewritten` counts
 * calls and results that differ from their spans.
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

export const lastOfAll = 2n ** 64n

/** A tool without a time comes before the last answer. */
function isBefore({ start = lastOfAll - 1n }: ToolStep, until: bigint | undefined): boolean {
  return until === undefined || start < until
}

export function callAndResult({ tool, context }: ToolStep): readonly Entry[] {
  return [entryOfCall({ id: tool.id, name: tool.name, args: tool.args }, context), entryOfResult(tool, context)]
}

export function resultFor(id: unknown, { tool, context }: ToolStep): Entry {
  const { name, output, error } = tool
  return entryOfResult({ id, name, output, error }, context)
}

interface KnownCall {
  call: Entry | undefined
  id: unknown
  name: unknown
  args: unknown
  output: unknown
  isAnswered: boolean
  isMatched: boolean
}

/** The key of a call for one way of matching; undefined if it has none. */
type Mark = (call: Pick<ToolResultInput, 'id' | 'name' | 'output'> & { args: unknown }) => string | undefined

/** From the most reliable match to the least: the id, the result, the result with the arguments, the name. */
const marks: readonly Mark[] = [
  ({ id }) => (id === undefined ? undefined : markOf(id)),
  ({ name, output }) => {
    const text = textOfOutput(output)
    return text === undefined ? undefined : `${markOf(name)} ${text}`
  },
  ({ args, output }) => {
    const text = textOfOutput(output)
    const input = parseJsonText(args)
    const isUnique = text !== undefined && isObject(input) && Object.keys(input).length > 0
    return isUnique ? `${JSON.stringify(input)} ${text}` : undefined
  },
  // The remaining calls of a tool are in the same order.
  ({ name }) => markOf(name),
]

function textOfOutput(output: unknown): string | undefined {
  return typeof output === 'string' ? output.trim() : output === undefined ? undefined : JSON.stringify(output)
}

/** Match tool spans with calls: those that answer an open call, and those that the conversation lacks. */
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
      // If both calls have ids, only these decide.
      const queues = sureness === 0 || step.tool.id === undefined ? all : nameless
      const own = queues.first(markOf(step.tool), ({ isMatched }) => !isMatched)
      if (own === undefined) return true
      own.isMatched = true
      const isOther = own.call !== undefined && !holds(own.args, step.tool.args)
      if (isOther || (own.isAnswered && !holds(own.output, step.tool.output))) rewritten++
      if (!own.isAnswered && own.call) answers.set(own.call, step)
      return false
    })
  })
  return { answers, fresh, rewritten }
}

function holds(calls: unknown, own: unknown): boolean {
  const text = textOfOutput(parseJsonText(own))
  return text === undefined || (textOfOutput(parseJsonText(calls)) ?? '').includes(text)
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

/** Calls in order, by key; a call that is not wanted is never returned again. */
class Queues {
  readonly #queues = new Map<string, { list: KnownCall[]; next: number }>()

  add(mark: string | undefined, call: KnownCall): void {
    if (mark !== undefined) getOrInsert(this.#queues, mark, () => ({ list: [], next: 0 })).list.push(call)
  }

  first(mark: string | undefined, isWanted: (call: KnownCall) => boolean): KnownCall | undefined {
    const queue = mark === undefined ? undefined : this.#queues.get(mark)
    if (queue === undefined) return undefined
    for (let call = queue.list[queue.next]; call; call = queue.list[++queue.next]) if (isWanted(call)) return call
    return undefined
  }
}
