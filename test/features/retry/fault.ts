import type { CallOptions } from '@svc/client'
import { storedThen } from './acts.js'
import type { Act } from './fault-server.js'
import type { Verb } from './verbs.js'

/** Kinds of calls as the page names them: what holds for a verb that is listed here holds for all of its kind. */
export const kinds = {
  read: ['projects.get'],
  annotation: ['annotations.create'],
  write: ['projects.create', 'transcripts.upload'],
  stored: ['projects.create', 'transcripts.upload'],
  legacy: ['legacy.createTranscript'],
  batch: ['batches.create'],
} satisfies Record<string, Verb[]>

export type Kind = keyof typeof kinds

/** The calls that meet a fault. */
export interface Setting {
  options?: CallOptions
  /** In place of the id of a project that is there. */
  id?: string
  /** Characters of what is sent. Default 4. */
  size?: number
  /** When the caller aborts, in milliseconds; `before` is before the call. */
  abortAt?: number | 'before'
  /** The peer to which the client sends, in place of the server. */
  stranger?: 'nobody' | 'untrusted'
  /** Calls side by side. Default 1. */
  calls?: number
}

/** Requests in order with the time between them, and what the caller gets: as the page shows it. */
export type Outcome = [sends: string, gets: string]

/** One kind of call under one fault. */
export interface Row extends Setting {
  fault: string
  kind: Kind
  /** The acts for its requests in turn; the last one repeats. */
  script: Act[]
  sends: string
  gets: string
}

/** A fault, with a row for each kind of call that it makes a difference to. */
export type Fault = Row[]

export function fault(name: string, script: Act[], given: Setting & Partial<Record<Kind, Outcome>>): Fault {
  const setting = Object.fromEntries(Object.entries(given).filter(([key]) => !(key in kinds)))
  return (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    const [sends, gets] = given[kind] ?? []
    if (sends === undefined || gets === undefined) return []
    const acts = kind === 'stored' ? script.map(storedThen) : script
    return [{ ...setting, fault: name, kind, script: acts, sends, gets }]
  })
}

export const result = 'the result'
export const reason = "the signal's own reason"
export const ambiguous = '`AmbiguousWriteError`'
/** Two repetitions; the back-off doubles. */
export const thrice = (method: 'GET' | 'POST') => `${method} · 0–0.5 s · ${method} · 0–1 s · ${method}`
export const once = (method: 'GET' | 'POST') => `${method} · 0–0.5 s · ${method}`
/** A write that may come to be stored until so many seconds have passed, if the first search waits so long. */
export const sure = (seconds: number, first = 0.5, least = 0) =>
  [1, 2, 3]
    .map(() => `POST · ${least}–${first} s · search · ${seconds - first}–${seconds - least} s · search`)
    .join(' · ')
