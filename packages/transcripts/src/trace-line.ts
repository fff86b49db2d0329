import { byTime } from './nanos.js'
import { OpenCalls } from './open-calls.js'
import { relation } from './overlap.js'
import { type Entry, entryOfCall, entryOfResult } from './recorder.js'
import type { Step, ToolStep } from './span.js'

/** What calls of models were given and gave, and what tools did, one after the other. */
export function joinedSteps(calls: readonly Step[], tools: readonly ToolStep[]): Line {
  const line = new Line()
  const steps: (Step | ToolStep)[] = [...calls, ...tools].sort(byTime)
  for (const step of steps) {
    if ('tool' in step) line.answerOrCall(step)
    else line.join(step)
  }
  return line
}

/** What a call of a tool says in a talk that tells nothing of it. */
export function callAndAnswer({ tool, about }: ToolStep): readonly Entry[] {
  return [entryOfCall({ id: tool.id, name: tool.name, args: tool.args }, about), entryOfResult(tool, about)]
}

/** The answer of a tool to a call that waits for it. */
export function answerTo(id: unknown, { tool, about }: ToolStep): Entry {
  const { name, output, error } = tool
  return entryOfResult({ id, name, output, error }, about)
}

/** A talk that grows, with the calls that wait for an answer. */
class Line {
  head: readonly Entry[] = []
  readonly body: Entry[] = []
  #calls = new OpenCalls()

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.body.push(entry)
      if (entry.act.kind === 'call') this.#calls.called(entry.act.call)
      if (entry.act.kind === 'result') this.#calls.answered(entry.act.result)
    }
  }

  join(step: Step): void {
    if (this.head.length === 0) this.head = step.given.head
    // An answer that a span of the tool has told of comes again with the next call of the model.
    const fresh = step.body.filter(({ act }) => act.kind !== 'result' || !this.#calls.isAnswered(act.result.id))
    const told = relation(this.body, fresh)
    if (told.kind === 'held') return
    if (told.kind === 'holds') {
      this.body.length = 0
      this.#calls = new OpenCalls()
    }
    this.add(told.kind === 'goes on' ? fresh.slice(told.from) : fresh)
  }

  answerOrCall(step: ToolStep): void {
    if (this.#calls.isAnswered(step.tool.id)) return
    const waiting = this.#calls.answered(step.tool)
    if (waiting === undefined) this.add(callAndAnswer(step))
    else this.body.push(answerTo(waiting.id, step))
  }
}
