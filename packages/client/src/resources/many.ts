import { InputError } from '../errors/index.js'
import type { CallOptions } from '../options.js'

/** Options of `uploadMany` and `createMany`; those of a call hold for each call. */
export interface ManyOptions extends CallOptions {
  /** The number of calls at the same time. Default 4. */
  concurrency?: number | undefined
}

/** The result of one input, in the shape of `Promise.allSettled`. */
export type ManyResult<Input, Value> = {
  /** 0-based position of the input. */
  index: number
  /** The input, unchanged. */
  input: Input
} & PromiseSettledResult<Value>

/**
 * Calls `work` for each input, and gives the results as they come. Reads an input only when a call can start and a result
 * is awaited, so that memory stays bounded. A call that fails does not stop the others. After an error of `inputs`, or an
 * abort, the results of all started calls come first; then the iteration throws the error, or the reason of the abort.
 * `break` waits for the calls that have started.
 */
export async function* settleMany<Input, Value>(
  operation: string,
  inputs: AsyncIterable<Input> | Iterable<Input>,
  { concurrency = 4, ...options }: ManyOptions,
  work: (input: Input, options: CallOptions) => Promise<Value>,
): AsyncGenerator<ManyResult<Input, Value>, void, undefined> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    const message = `${operation}: expected concurrency as a whole number from 1, got ${JSON.stringify(concurrency)}.`
    throw new InputError('invalid_input', message, operation)
  }
  const { signal } = options
  const source = toAsyncIterator(inputs)
  const running = new Map<number, Promise<ManyResult<Input, Value>>>()
  let reading: Promise<IteratorResult<Input>> | undefined
  let started = 0
  let isOpen = true
  let end: { error?: unknown } | undefined
  let abort = () => {}
  const aborted = new Promise<{ error: unknown }>((resolve) => {
    abort = () => resolve({ error: signal?.reason })
  })
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  const read = () => {
    reading ??= source.next()
    return reading.then(
      (next) => ({ next }),
      (error: unknown) => ({ error, isBroken: true }),
    )
  }
  try {
    while (!end || running.size > 0) {
      const mayRead = !end && running.size < concurrency && !signal?.aborted
      const first = await Promise.race([...(end ? [] : [aborted]), ...(mayRead ? [read()] : []), ...running.values()])
      if ('index' in first) {
        running.delete(first.index)
        yield first
      } else if ('error' in first) {
        end = { error: first.error }
        if ('isBroken' in first) isOpen = false
      } else {
        reading = undefined
        const { done, value: input } = first.next
        if (done) {
          end = {}
          isOpen = false
          continue
        }
        const index = started++
        running.set(
          index,
          work(input, options).then(
            (value) => ({ index, input, status: 'fulfilled', value }),
            (reason: unknown) => ({ index, input, status: 'rejected', reason }),
          ),
        )
      }
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    await Promise.all(running.values())
    const closed = isOpen ? source.return?.() : undefined
    // A generator that waits for its next input cannot be closed before that input has come.
    if (reading) closed?.catch(() => {})
    else await closed
  }
  if ('error' in end) throw end.error
}

function toAsyncIterator<Input>(inputs: AsyncIterable<Input> | Iterable<Input>): AsyncIterator<Input> {
  if (Symbol.asyncIterator in inputs) return inputs[Symbol.asyncIterator]()
  const iterator = inputs[Symbol.iterator]()
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
  }
}
