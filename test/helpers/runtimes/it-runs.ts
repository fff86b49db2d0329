import { it } from 'vitest'
import type { Runtime } from './cache.js'

/** A test where the runtime is there; else a skipped one, whose name says why it is not. */
export function itRuns(runtime: Runtime, how: string, test: (binary: string, version: string) => Promise<void>): void {
  if ('missing' in runtime) it.skip(`${how} (not run: ${runtime.missing})`)
  else it(`${how} (${runtime.version || 'no version'})`, () => test(runtime.binary, runtime.version))
}
