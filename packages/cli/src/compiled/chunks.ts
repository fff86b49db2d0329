import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import type { Compiled } from './file.js'

/** The files that the command was built into. */
export interface Chunks {
  /** What a file exports, as Node's `require` gives it. */
  load(name: string): unknown
  /** Whether a file was loaded that had not been compiled before, or not so that V8 took it. */
  areNew(): boolean
  /** What is compiled now, functions that were called included, with what had been before and was not loaded. */
  compiled(): Compiled
}

/** Loads files of a folder, compiled already where they are; what is not among them is left to `outer`. */
export function createChunks(folder: string, outer: NodeJS.Require, before: Compiled): Chunks {
  const scripts = new Map<string, Script>()
  const modules = new Map<string, { exports: unknown }>()
  let areNew = false

  function scriptOf(name: string, filename: string): Script {
    const text = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(filename, 'utf8')}\n})`
    const cachedData = before.get(name)
    const script = new Script(text, { filename, ...(cachedData && { cachedData: cachedData as Buffer }) })
    areNew ||= script.cachedDataRejected !== false
    scripts.set(name, script)
    return script
  }

  function load(name: string): unknown {
    const loaded = modules.get(name)
    if (loaded) return loaded.exports
    const filename = join(folder, name)
    const module = { exports: {} }
    modules.set(name, module)
    try {
      const run = scriptOf(name, filename).runInThisContext() as (...parts: unknown[]) => void
      run.call(module.exports, module.exports, requireFrom, module, filename, dirname(filename))
    } catch (error) {
      modules.delete(name)
      throw error
    }
    return module.exports
  }

  const requireFrom = (path: string): unknown => (path.startsWith('./') ? load(path.slice(2)) : outer(path))

  return {
    load,
    areNew: () => areNew,
    compiled: () =>
      new Map([...before, ...[...scripts].map(([name, script]) => [name, script.createCachedData()] as const)]),
  }
}
