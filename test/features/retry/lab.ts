import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type ClientEvent, type ClientOptions, createClient, type SvcClient } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import { type HandClock, handClock } from '../../helpers/hand-clock.js'
import { type Act, type FaultServer, openFaultServer } from './fault-server.js'
import type { Transport } from './transports.js'

/** A client that speaks over real sockets with a server that fails, while time stands still. */
export interface Lab {
  svc: SvcClient
  clock: HandClock
  server: FaultServer
  /** A server of another origin, to which nobody should come. */
  elsewhere: FaultServer
  /** A project that is there. */
  projectId: string
  events: ClientEvent[]
  /** Another client of the same server. */
  client(options?: ClientOptions): SvcClient
  /**
   * Gives the result of the work; moves time on whenever nothing but time can help. Fails after `longestMs` of real time,
   * 10 000 by default.
   */
  until<T>(work: Promise<T>, longestMs?: number): Promise<T>
  /** Waits, without moving time, until something is so. */
  when(so: () => boolean): Promise<void>
  /** Waits until the server holds a request back, and the client has seen of the answer what there is. */
  whenHeld(): Promise<void>
  close(): Promise<void>
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Nothing here takes so long; a loop that waits for what never comes would keep the worker of the tests busy. */
const longestMs = 10_000

/** Turns the loop until something is so. */
async function when(
  so: () => boolean,
  meanwhile: () => unknown = () => turns(1),
  limitMs: number = longestMs,
): Promise<void> {
  const startedAt = performance.now()
  while (!so()) {
    await meanwhile()
    if (performance.now() - startedAt > limitMs) throw new Error('What was waited for did not come.')
  }
}

/** Diagnostics channels that report the head of an answer, of Node's fetch and of `node:http`. */
const headChannels = ['undici:request:headers', 'http.client.response.finish']

export async function openLab(
  transport: Transport,
  { script, scripted = 'any', ...options }: { script: Act[]; scripted?: 'GET' | 'POST' | 'any' } & ClientOptions,
): Promise<Lab> {
  const clock = handClock()
  const counts = { underWay: 0, timeOuts: 0, heads: 0, awaitedHeads: 0 }
  const onHead = () => counts.heads++
  const onHeldHead = () => {
    counts.awaitedHeads = counts.heads + 1
  }
  const isScripted = ({ method }: { method?: string | undefined }) => scripted === 'any' || method === scripted
  const elsewhere = await openFaultServer({ clock, script: [], scripted: () => false })
  const faults = { script, scripted: isScripted, onHeldHead, elsewhere: elsewhere.origin }
  const server = await openFaultServer({ clock, ...faults })
  const way = transport.open()
  const events: ClientEvent[] = []
  for (const channel of headChannels) subscribe(channel, onHead)

  const onEvent = (event: ClientEvent) => {
    events.push(event)
    if (event.type === 'request') counts.underWay++
    if (event.type === 'response' || event.type === 'failure') counts.underWay--
    if (event.type === 'failure' && event.cause === 'time-out') counts.timeOuts++
  }
  const { baseUrl, publicBaseUrl } = server.service
  const client = (more: ClientOptions = {}) =>
    createClient({
      ...{ apiKey: referenceKey, baseUrl, publicBaseUrl, clock, environment: {}, onEvent },
      ...way.options,
      ...more,
    })
  /** Sockets are at work: some request is neither answered nor held back by the server. */
  const busy = () =>
    counts.underWay > Math.max(0, server.counts.held - counts.timeOuts) || counts.heads < counts.awaitedHeads

  return {
    svc: client(options),
    clock,
    server,
    elsewhere,
    projectId: server.service.world.createProject({ name: 'P' }).record.id,
    events,
    client,
    async until(work, limitMs) {
      let done = false
      const watched = work.finally(() => {
        done = true
      })
      watched.catch(() => {})
      const isDone = () => done
      const moveOn = async () => {
        await turns(15)
        const [next] = clock.pending
        if (!done && !busy() && next !== undefined) await clock.advance(next)
      }
      await when(isDone, moveOn, limitMs)
      return watched
    },
    when: (so) => when(so),
    async whenHeld() {
      await when(() => server.counts.held > 0 && counts.heads >= counts.awaitedHeads)
      await turns(15)
    },
    async close() {
      for (const channel of headChannels) unsubscribe(channel, onHead)
      await way.close()
      await Promise.all([server.close(), elsewhere.close()])
    },
  }
}
