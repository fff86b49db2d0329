import { type ExitCode, exitCodeFor } from './exit.js'
import { mapPool } from './pool.js'

/** An item's work that failed, and the exit code that this means. */
export interface Failed {
  error: unknown
  code: ExitCode
}

/**
 * Works through items, so many at a time, in the order of completion. A failure belongs to its item, unless its code is
 * one to stop on: then nothing new is begun, because the rest would fail the same way.
 */
export async function* untilCondemned<Item extends object, Done>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { width, stopOn, signal }: { width: number; stopOn: readonly ExitCode[]; signal: AbortSignal },
  work: (item: Item) => Promise<Done>,
): AsyncGenerator<Done | (Item & Failed), void, undefined> {
  let condemned = false
  const attempt = async (item: Item): Promise<Done | (Item & Failed)> => {
    try {
      return await work(item)
    } catch (error) {
      const code = exitCodeFor(error)
      condemned ||= stopOn.includes(code)
      return { ...item, error, code }
    }
  }
  yield* mapPool(items, width, attempt, () => condemned || signal.aborted)
}
