import { connect, type Socket } from 'node:net'
import type { Answer, AnswerCall, Call, Delivery } from './call.js'
import type { Clock } from './clock.js'
import { type Listening, type ListenOptions, listen, type Patience } from './listen.js'

/** For tests: a clock that stands, with its timers as milliseconds, and a way to run the one that falls due first. */
export interface TurnedClock extends Required<Clock> {
  readonly waiting: number[]
  turn(): void
}

export function turnedClock(): TurnedClock {
  let time = Date.UTC(2026, 0, 1)
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => time,
    after(ms, callback) {
      const timer = { at: time + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    get waiting() {
      return [...timers].map(({ at }) => at - time)
    },
    turn() {
      const [next] = [...timers].sort((a, b) => a.at - b.at)
      if (!next) throw new Error('No timer waits.')
      timers.delete(next)
      time = next.at
      next.callback()
    },
  }
}

/** For tests: something that is waited for, and comes once. */
export function signal<T = void>() {
  let give: (value: T) => void = () => {}
  const given = new Promise<T>((resolve) => {
    give = resolve
  })
  return { given, give: (value: T): undefined => void give(value) }
}

/** For tests: a connection on which bytes are sent as they are, and what came on it. */
export interface Wire {
  socket: Socket
  write(bytes: string): void
  /** What has come, once the pattern is in it or the connection has ended. */
  until(pattern: RegExp): Promise<string>
  /** All that came, and how it ended: `end`, or the code of an error. */
  ended: Promise<{ text: string; by: string }>
}

/** Opens a connection to a port of loopback, or to a Unix socket. */
export function dial(place: number | string, bytes = ''): Wire {
  let text = ''
  let by = 'end'
  let isOver = false
  let look = () => {}
  const socket = typeof place === 'number' ? connect(place, '127.0.0.1') : connect(place)
  socket.setEncoding('latin1')
  socket.write(bytes, 'latin1')
  socket.on('data', (chunk) => {
    text += chunk
    look()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    by = error.code ?? error.message
  })
  const ended = new Promise<{ text: string; by: string }>((resolve) => {
    socket.on('close', () => {
      isOver = true
      look()
      resolve({ text, by })
    })
  })
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      look = () => {
        if (isOver || pattern.test(text)) resolve(text)
      }
      look()
    })
  return { socket, write: (more) => socket.write(more, 'latin1'), until, ended }
}

const opened: { close(): Promise<void> }[] = []

/** For tests: closes all that was kept; to be called after each. A file that shares its process with others cannot do so itself. */
export async function closeKept(): Promise<void> {
  for (const { close } of opened.splice(0)) await close()
}

/** For tests: keeps what listens until `closeKept`. */
export function keep<T extends Pick<Listening, 'close'>>(listening: T): T {
  opened.push({ close: () => listening.close({ graceMs: 0 }) })
  return listening
}

/** The body of every answer of `serving`. */
export const body = '{"ä":"0123456789"}'

/** For tests: an HTTP edge whose every answer is the same, or fails to arrive. The surfaces stand at `/` and `/b`. */
export async function serving(
  give: Delivery | AnswerCall | undefined,
  { clock = turnedClock(), patience, ...options }: { clock?: Clock; patience?: Patience } & ListenOptions = {},
) {
  const calls: Call[] = []
  const answer: AnswerCall = async (call) => {
    calls.push(call)
    if (typeof give === 'function') return give(call)
    const whole: Answer = { status: 200, headers: { 'content-type': 'application/json' }, body }
    return give ? { ...whole, delivery: give } : whole
  }
  const listening = keep(await listen(answer, { annotation: '', workspace: '/b' }, clock, options, undefined, patience))
  return { ...listening, calls, clock }
}

/** The text of a request with a Host. */
export const request = (line: string, headers = '', content = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${content}`
