/**
 * The thread in which the code of a policy runs. `isolated.ts` starts it, and decides: whatever happens here can stop a
 * run, and cannot make one pass. Code of the policy may replace any global after it is loaded, so that all that is
 * needed later is taken before.
 */

import { createRequire, syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort, parentPort } from 'node:worker_threads'
import { onUncaught } from '../environment.js'
import { type PolicyData, policyOfModule } from './policy-data.js'

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

async function load({ path, alias }: Start): Promise<PolicyData> {
  // CommonJS packages in a bundle load modules of Node with it.
  Object.assign(globalThis, { require: createRequire(import.meta.url) })
  const { createJiti } = await import('jiti/static')
  const jiti = createJiti(path, { alias, fsCache: false, moduleCache: false, tryNative: false })
  await closeInspector()
  return policyOfModule(await jiti.import(path))
}

parentPort?.once('message', async (start: Start) => {
  const { port, nonce } = start
  const post = port.postMessage.bind(port)
  const [hold, letGo] = [port.ref.bind(port), port.unref.bind(port)]
  // Before a handler of the policy: it would hide that code failed outside of a rule.
  onUncaught((error) => post({ nonce, uncaught: textsOf(error).text }))
  let rules: ReadonlyMap<string, (checked: never) => unknown> = new Map()
  port.on('message', async ({ id, rule, checked }: Call) => {
    if (rule === undefined) {
      // After the timers without a delay that a rule has left.
      later(() => soon(() => post({ nonce, id, returned: undefined })), 1)
      return
    }
    // Nothing keeps a thread that waits for a promise which nothing settles: it ends at once.
    letGo()
    try {
      const run = rules.get(rule)
      if (run === undefined) throw new Error('the policy does not have this rule any more')
      post({ nonce, id, returned: await run(checked as never) })
    } catch (error) {
      post({ nonce, id, thrown: textsOf(error) })
    }
    hold()
  })
  letGo()
  try {
    const loaded = await load(start)
    if ('rules' in loaded) rules = loaded.rules
    post({ nonce, id: 0, returned: 'rules' in loaded ? { json: loaded.json, rules: [...rules.keys()] } : loaded })
  } catch (error) {
    post({ nonce, id: 0, thrown: textsOf(error) })
  }
  hold()
})
