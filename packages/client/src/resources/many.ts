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
 * is awaited, so that memory stays bounded. A call that fails does not stop the others. After an error of `inputs` the
 * results of all started calls come first. An abort ends the iteration with the signal's reason, and `break` waits for the
 * calls that have started; both close `inputs`.
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
  let end: { error?: unknown } | undefined
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason)
  })
  aborted.catch(() => {})
  signal?.addEventListener('abort', abort)
  try {
    while (!end || running.size > 0) {
      signal?.throwIfAborted()
      if (!end && running.size < concurrency) reading ??= source.next()
      const read = reading?.then(
        (next) => ({ next }),
        (error: unknown) => ({ next: undefined, error }),
      )
      const first = await Promise.race([aborted, ...(read ? [read] : []), ...running.values()])
      if ('index' in first) {
        running.delete(first.index)
        yield first
        continue
      }
      reading = undefined
      if (!first.next) end = { error: first.error }
      else if (first.next.done) end = {}
      else {
        const [index, input] = [started++, first.next.value]
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
    if (!end) {
      const closed = source.return?.()
      // A generator that waits for its next input cannot be closed before that input has come.
      if (reading) closed?.catch(() => {})
      else await closed
    }
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
