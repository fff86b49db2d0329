import { onAbort } from '../clock.js'
import { inputError } from '../errors/index.js'
import { numberOption, shownOption, wholeFromOne } from '../option-values.js'
import { type CallOptions, callOptions, refuseUnknown, signalOf } from '../options.js'

/** Options of `uploadMany` and `createMany`; those of a call hold for each call. */
export interface ManyOptions extends CallOptions {
  /** The number of calls at the same time. Default 4. */
  concurrency?: number | undefined
  /** Asked before an input is read: true ends the reading, as the end of the inputs does. Default: never. */
  until?: (() => boolean) | undefined
}

/** The result of one input, in the shape of `Promise.allSettled`. */
export type ManyResult<Input, Value> = {
  /** 0-based position of the input. */
  index: number
  /** The input, unchanged. */
  input: Input
} & PromiseSettledResult<Value>

/**
 * Call `work` for each input, `concurrency` at a time, and iterate over the results as they come. Reads an input only when
 * a call can start and a result is awaited, so that memory stays bounded. A call that fails does not stop the others.
 * After an error of `inputs`, or an abort, the results of all started calls come first; then the iteration throws the
 * error, or the reason of the abort. `break` waits for the calls that have started. Throws an InputError for an unknown
 * option and an invalid `concurrency`, which names the `operation`.
 *
 * @example
 * for await (const { status, input } of mapConcurrent(ids, (id, call) => svc.transcripts.get(id, call), { signal }))
 *   console.log(input, status)
 */
export async function* mapConcurrent<Input, Value>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
  work: (input: Input, options: CallOptions) => Promise<Value>,
  options?: ManyOptions,
  operation = 'mapConcurrent',
): AsyncGenerator<ManyResult<Input, Value>, void, undefined> {
  // One function: the calls, the reader of inputs and the iteration wake each other.
  const given = options ?? {}
  refuseUnknown(operation, given, { ...callOptions, concurrency: true, until: true })
  const { concurrency = 4, until = () => false, ...each } = given
  numberOption('concurrency', wholeFromOne, concurrency, operation)
  const signal = signalOf(operation, each.signal)
  if (Object(inputs) !== inputs || !(Symbol.asyncIterator in inputs || Symbol.iterator in inputs)) {
    throw inputError(operation, `expected an iterable, got ${shownOption(inputs)}`)
  }
  const source = toAsyncIterator(inputs)
  const settled: ManyResult<Input, Value>[] = []
  let started = 0
  let running = 0
  let isReading = false
  /** False once the source has ended by itself. */
  let isOpen = true
  let end: { error?: unknown } | undefined
  let wake = () => {}
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const finish = (how: { error?: unknown }) => {
    end ??= how
    wake()
  }
  const settle = (result: ManyResult<Input, Value>) => {
    running--
    settled.push(result)
    wake()
  }
  const start = (input: Input) => {
    const index = started++
    running++
    const call = async () => work(input, each)
    call().then(
      (value) => settle({ index, input, status: 'fulfilled', value }),
      (reason: unknown) => settle({ index, input, status: 'rejected', reason }),
    )
  }
  const read = async () => {
    isReading = true
    try {
      const { done, value } = await source.next()
      if (done) {
        isOpen = false
        finish({})
      } else if (!end) start(value)
    } catch (error) {
      isOpen = false
      finish({ error })
    }
    isReading = false
    wake()
  }
  const abort = () => finish({ error: signal?.reason })
  const stopListening = onAbort(signal, abort)
  try {
    while (!end || running + settled.length > 0) {
      if (!end && !isReading && running + settled.length < concurrency) {
        if (until()) finish({})
        else void read()
      }
      const result = settled.shift()
      if (result) yield result
      else if (!end || running > 0) await change()
    }
  } finally {
    finish({})
    stopListening()
    while (running > 0) await change()
    const closed = isOpen ? source.return?.() : undefined
    // A generator that waits for its next input cannot be closed before that input has come.
    if (isReading) closed?.catch(() => {})
    else await closed
  }
  if ('error' in end) throw end.error
}

type Source<Input> = Pick<AsyncIterator<Input>, 'next'> & { return?(): Promise<unknown> }

function toAsyncIterator<Input>(inputs: AsyncIterable<Input> | Iterable<Input>): Source<Input> {
  if (Symbol.asyncIterator in inputs) return inputs[Symbol.asyncIterator]()
  const iterator = inputs[Symbol.iterator]()
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.(),
  }
}
