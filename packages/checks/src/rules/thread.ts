import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import { systemClock } from '@svc/client'
import * as z from 'zod/mini'
import { environmentOfCode, nodeFiles, randomId } from '../environment.js'
import type { Checked } from './checks.js'
import { Ended } from './limits.js'
import type { Call, Start } from './policy-worker.js'

/** The time that code has to end once it is told to, in milliseconds. */
export const graceMs = 1_000

/** After this time, a thread that does not end is blocked, in milliseconds. To free its memory takes a while. */
const blockedMs = 5_000

/** The heap of a thread. */
const mostMegabytes = 512

const envelope = { nonce: z.string(), id: z.number() }
const answerShape = z.union([
  z.strictObject({ ...envelope, thrown: z.object({ text: z.string(), stack: z.string() }) }),
  z.strictObject({ ...envelope, returned: z.optional(z.unknown()) }),
  z.strictObject({ nonce: z.string(), uncaught: z.string() }),
])

/** The policy that a thread has loaded: its data and the names of its rules, or why it is no policy. */
export const loadedShape = z.union([
  z.object({ json: z.unknown(), rules: z.array(z.string()) }),
  z.object({ problems: z.array(z.string()) }),
])

const uncaught = (error: string): string => `throws an error that nothing catches: ${error}`

/** An error that code of a policy threw, as a text, with the frames of the policy. */
export class RuleError extends Error {
  override name = 'RuleError'
  constructor(
    message: string,
    readonly frames: readonly string[],
  ) {
    super(message)
  }
}

export type Thread = ReturnType<typeof startThread>

/** Start the thread of a policy. `onBroken` is called with the reason if it fails while no rule runs, or if nothing says which. */
export function startThread(
  path: string,
  log: ((text: string) => void) | undefined,
  onBroken: (reason: string) => void,
) {
  const { port1: port, port2 } = new MessageChannel()
  const nonce = randomId()
  const worker = newWorker(log !== undefined)
  let isEnding = false
  let calls = 0
  let open: { id: number; resolve(value: unknown): void; reject(error: Error): void } | undefined
  const ask = (id: number, send: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      open = { id, resolve, reject }
      send()
    }).finally(() => {
      open = undefined
    })
  /** `isOfCall`: the call that is open has caused it. */
  const lose = (reason: string, isOfCall: boolean) => {
    if (isEnding) return
    isEnding = true
    if (!open || !isOfCall) onBroken(`it ${reason}`)
    open?.reject(new Ended(reason))
    void worker.terminate()
  }
  if (log) for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding('utf8').on('data', log)
  port.on('message', (message: unknown) => {
    if (isEnding) return
    const { data } = answerShape.safeParse(message)
    if (data?.nonce === nonce && 'uncaught' in data) lose(uncaught(data.uncaught), false)
    else if (!data || data.nonce !== nonce || 'uncaught' in data || data.id !== open?.id)
      lose('sends a message that is no answer', false)
    else if ('thrown' in data) open.reject(new RuleError(data.thrown.text, framesOf(data.thrown.stack)))
    else open.resolve(data.returned)
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') lose(`needs more than ${mostMegabytes} MB of memory`, true)
    // No rule caught it, so that it may be of any.
    else lose(uncaught(String(error)), false)
  })
  worker.on('exit', () =>
    lose('ends its thread, as with process.exit, or waits for a promise that nothing settles', true),
  )
  const alias = { '@svc/cli/checks': besideThis('checks'), '@svc/checks': besideThis('checks') }
  const start: Start = { port: port2, nonce, path, alias }
  const loaded = ask(0, () => worker.postMessage(start, [port2]))
  worker.unref()
  port.unref()
  return {
    loaded,
    /** Without a rule, it only answers. */
    call(rule: string | undefined, checked: Checked | undefined) {
      const id = ++calls
      const message: Call = { id, ...(rule !== undefined && { rule, checked }) }
      return ask(id, () => port.postMessage(message))
    },
    /** Resolves with false if a call of the system keeps the thread. */
    close(): Promise<boolean> {
      isEnding = true
      open?.reject(new Ended('is ended'))
      return new Promise((resolve) => {
        const cancel = systemClock.after(blockedMs, () => resolve(false))
        void worker.terminate().then(() => {
          cancel()
          resolve(true)
        })
      })
    },
  }
}

function newWorker(isLogged: boolean): Worker {
  const entry = besideThis('policy-worker')
  const options = {
    ...{ stdout: isLogged, stderr: isLogged },
    // Nothing of NODE_OPTIONS: it can load other code, or let rejections pass.
    ...{ execArgv: ['--unhandled-rejections=strict'], env: environmentOfCode() },
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  }
  if (entry.endsWith('.js')) return new Worker(entry, options)
  const [jiti, source] = [createRequire(import.meta.url).resolve('jiti'), entry].map((path) => JSON.stringify(path))
  return new Worker(`require(${jiti}).createJiti(${source}).import(${source})`, { ...options, eval: true })
}

/** A module of this package, built or in its source. */
function besideThis(name: string): string {
  const built = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  return nodeFiles.isThere(built) ? built : fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
}

const mostFrames = 5

/** The frames of a stack that are of the policy. */
function framesOf(stack: string): string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const workerFrame = frames.findIndex((frame) => frame.includes(besideThis('policy-worker')))
  return frames.slice(0, Math.min(mostFrames, workerFrame < 0 ? mostFrames : workerFrame)).map((frame) => frame.trim())
}
