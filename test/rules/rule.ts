import type { ReferenceServer, ServerOptions } from '@svc/reference-server/core'

/** A request of a rule, as bytes rather than through a client: the judge reads the interface by itself. */
export interface Ask {
  surface: 'annotation' | 'workspace'
  /** Default: POST with a body, else GET. */
  method?: string
  /** Below the base URL of the surface, with the query; sent as it is. */
  path: string
  /** The text after `Bearer `; null sends no Authorization. Default: the key with full access. */
  key?: string | null
  /** A string or bytes are sent as they are, anything else as JSON, with `application/json` unless `headers` says otherwise. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/** An answer: names of headers are in lower case. */
export interface Answered {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  /** The parsed text; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a rule looks into bodies whose shape is what it checks.
  json: any
}

/** Keys of every kind; a foreign service is given them by its environment. */
export interface Keys {
  full: string
  /** Holds `projects-read` alone. */
  reader: string
  /** Holds `projects-write` alone. */
  writer: string
  /** A key of the earlier product with `halfpipe-transcripts-write` alone. */
  legacy: string
  /** Full access to another workspace. */
  foreign: string
  revoked: string
  deleted: string
}

/** What a rule is tried with. */
export interface Trial {
  ask(request: Ask): Promise<Answered>
  keys: Keys
  /** Moves the time of the server on; only in rules that are `reference: true`. */
  advance(ms: number): Promise<void>
  /** The server behind the transport; only in rules that are `reference: true`. */
  server: ReferenceServer
}

/** One rule of the interface and the trial of it. */
export interface Rule {
  /** A sentence about behaviour. */
  name: string
  /** Where the rule stands: a heading of the interface description, or `reading: …` of the design. */
  source: string
  /** Needs the reference server itself: its clock, its world or its options. Default: runs against any server. */
  reference?: true
  /** Options of the server for this trial; implies `reference`. */
  options?: Omit<ServerOptions, 'clock' | 'baseUrl' | 'publicBaseUrl'>
  /** Throws when the rule does not hold. */
  run(trial: Trial): Promise<void>
}
