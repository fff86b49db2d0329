/**
 * The thread in which the code of a policy runs. `isolated.ts` starts it, and decides: whatever happens here can stop a
 * run, and cannot make one pass. Code of the policy may replace any global after it is loaded, so that all that is
 * needed later is taken before.
 */

import { createRequire, syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort, parentPort } from 'node:worker_threads'

/** The data that the thread is started with. Only this module sees the port and the nonce. */
export interface Start {
  port: MessagePort
  nonce: string
  path: string
  alias: Record<string, string>
}

export interface Call {
  id: number
  /** Absent to ask whether the thread still answers. */
  rule?: string
  checked?: object | undefined
}

type Rule = (checked: unknown) => unknown

const { keys } = Object
const { isArray } = Array
const soon = setImmediate
const later = setTimeout

function textsOf(error: unknown): { text: string; stack: string } {
  try {
    if (!(error instanceof Error)) return { text: `threw ${String(error)}`, stack: '' }
    return { text: `${error.name}: ${error.message}`, stack: String(error.stack) }
  } catch {
    return { text: 'threw a value without a text', stack: '' }
  }
}

/** Through an inspector, and through a thread that has one, code would run in the thread that decides. */
async function closeInspector(): Promise<void> {
  // A Node may be built without one.
  const inspector = await import('node:inspector').catch(() => undefined)
  if (inspector) Reflect.deleteProperty(inspector.Session.prototype, 'connectToMainThread')
  Reflect.deleteProperty(process, 'binding')
  threads.Worker = class {
    constructor() {
      throw new Error('a policy cannot start threads')
    }
  } as unknown as typeof threads.Worker
  syncBuiltinESMExports()
}

async function load({ path, alias }: Start): Promise<{ json: object; rules: unknown }> {
  // CommonJS packages in a bundle load modules of Node with it.
  Object.assign(globalThis, { require: createRequire(import.meta.url) })
  const { createJiti } = await import('jiti/static')
  const jiti = createJiti(path, { alias, fsCache: false, moduleCache: false, tryNative: false })
  await closeInspector()
  const exported: unknown = await jiti.import(path, { default: true })
  if (typeof exported !== 'object' || exported === null || isArray(exported)) return { json: [], rules: {} }
  const { rules = {}, ...json } = exported as { rules?: unknown }
  return { json, rules }
}

/** The names of rules, and whether each is a function; null if they are no object. */
function namesOf(rules: unknown): [name: string, isFunction: boolean][] | null {
  if (typeof rules !== 'object' || rules === null || isArray(rules)) return null
  const found: [string, boolean][] = []
  const names = keys(rules)
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? ''
    found[at] = [name, typeof (rules as Record<string, unknown>)[name] === 'function']
  }
  return found
}

parentPort?.once('message', async (start: Start) => {
  const { port, nonce } = start
  const post = port.postMessage.bind(port)
  const [hold, letGo] = [port.ref.bind(port), port.unref.bind(port)]
  let rules: Record<string, Rule> = {}
  port.on('message', async ({ id, rule, checked }: Call) => {
    if (rule === undefined) {
      // After the timers without a delay that a rule has left.
      later(() => soon(() => post({ nonce, id, returned: undefined })), 1)
      return
    }
    // Nothing keeps a thread that waits for a promise which nothing settles: it ends at once.
    letGo()
    try {
      const run = rules[rule]
      if (run === undefined) throw new Error('the policy does not have this rule any more')
      post({ nonce, id, returned: await run(checked) })
    } catch (error) {
      post({ nonce, id, thrown: textsOf(error) })
    }
    hold()
  })
  letGo()
  try {
    const loaded = await load(start)
    const names = namesOf(loaded.rules)
    if (names) rules = loaded.rules as Record<string, Rule>
    post({ nonce, id: 0, returned: { json: loaded.json, rules: names } })
  } catch (error) {
    post({ nonce, id: 0, thrown: textsOf(error) })
  }
  hold()
})
