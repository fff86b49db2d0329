import type { ReferenceServer, ServerOptions } from '@svc/reference-server/core'

/** A request of a rule, as bytes rather than through a client: the judge reads the interface by itself. */
export interface Ask {
  surface: 'annotation' | 'workspace'
  /** Default: POST with a body, else GET. */
  method?: string
  /**
   * Below the base URL of the surface, with the query; sent as it is. In ASCII, as every transport but HTTP encodes the
   * rest, and resolves `.`, `..` and `\`: a rule about such a path is `only` over HTTP.
   */
  path: string
  /** Sends the whole URL in the request line, as to a proxy; only over HTTP. */
  absoluteForm?: true
  /** The text after `Bearer `; null sends no Authorization. Default: the key with full access. */
  key?: string | null
  /**
   * A string, bytes or a stream of bytes are sent as they are, anything else as JSON; with `application/json` unless
   * `headers` says otherwise.
   */
  body?: unknown
  /** Beside or in place of Authorization and Content-Type; null leaves one out. */
  headers?: Readonly<Record<string, string | null>>
  /** The caller goes away when it is aborted. */
  signal?: AbortSignal
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

/** Keys of every kind. */
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

/** The service under test, as a rule sees it. */
export interface Trial {
  /** Rejects where no answer arrives. One after another: what is asked side by side may arrive in any order. */
  ask(request: Ask): Promise<Answered>
  keys: Keys
  /** Moves the time of the server on, once what was asked has arrived. */
  advance(ms: number): Promise<void>
  /**
   * The server behind the transport. Its world holds the keys and two empty
   * workspaces: `reference` of all keys but one, and `other` of the foreign one.
   */
  server: ReferenceServer
}

/** How a rule reaches a server. */
export type TransportName = 'direct' | 'setupServer' | 'http' | 'setupWorker'

/**
 * One rule of the reference server and the trial of it. A rule that holds for every service is one of
 * `@svc/reference-server/contract`.
 */
export interface Rule {
  /** A sentence about behaviour; no two rules have the same. */
  name: string
  /** The source of the rule: a heading of the interface description, or `ambiguity: …` of the design. */
  source: string
  /** Options of the server for this trial. Its seed comes on top of the keys and workspaces of the trial. */
  options?: Omit<ServerOptions, 'clock' | 'baseUrl' | 'publicBaseUrl'>
  /** The transports that can send its bytes, and the reason why others cannot. Default: every transport. */
  only?: { transports: readonly TransportName[]; because: string }
  /** Throws when the rule does not hold. */
  run(trial: Trial): Promise<unknown>
}
