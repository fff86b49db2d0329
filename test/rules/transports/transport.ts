import type { ReferenceServer, ServerOptions } from '@svc/reference-server/core'
import type { TransportName } from '../rule.js'
import type { Bases, Incoming, Outgoing } from './outgoing.js'

/** One reference server, and a way to it. */
export interface Opened {
  server: ReferenceServer
  bases: Bases
  /** Rejects where no answer arrives. */
  send(sent: Outgoing): Promise<Incoming>
  close(): unknown
}

/** A way in which rules reach reference servers. */
export interface Transport {
  name: TransportName
  /** Before the first server is opened, and after the last one is closed. */
  start?(): unknown
  stop?(): unknown
  open(options: ServerOptions): Promise<Opened> | Opened
}

/** Where every reference server stands that does not listen. */
export const bases: Bases = { baseUrl: 'http://svc.test', publicBaseUrl: 'http://svc.test/public/api/v1' }
