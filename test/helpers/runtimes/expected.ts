import { expect } from 'vitest'
import type { Report } from './job.js'

/** The differences between platforms that the report shows. */
export interface Platform {
  /** The User-Agent that the server sees. */
  userAgent: unknown
  /** The status of a redirect that was not followed: browsers do not show it. Default 302. */
  redirect?: 0 | 302
  /**
   * The cause of a failed call to a port on which nobody listens, if the platform hides that nothing was sent.
   * Default `ECONNREFUSED`.
   */
  closed?: string
}

/** The report of the job, the same in every runtime but for what the platform makes different. */
export const everywhere = ({ userAgent, redirect = 302, closed }: Platform): { [Field in keyof Report]: unknown } => ({
  health: { status: 'ok', substrate: 'lambda' },
  project: ['Jürgen’s 日本 project', 0],
  uploaded: [
    expect.stringMatching(/^tr_/),
    'queued',
    { shop: 7, svc: expect.objectContaining({ occurrence: 1 }) },
    '1970-01-01T00:00:00.000Z',
  ],
  listed: [2, { page: 1, limit: 2, total: 3 }, 200, 1],
  responseIsReal: true,
  all: ['three', 'two', 'one'],
  found: ['one'],
  read: true,
  annotation: ['strong', [], 'structural'],
  wired: true,
  unknown: ['ServiceError', 404, 'not_found', 'not_found_error'],
  unknownIsDeclared: 404,
  classes: [true, true, false, true],
  showsKey: false,
  notImplemented: ['ServiceError', 501, 'not_implemented', 'not_implemented'],
  badInput: ['InputError', 'invalid_id'],
  badKey: ['ServiceError', 401, 'authentication', 'authentication_error'],
  limited: {
    statuses: [429, 200],
    waits: [['rate_limited', true]],
    refused: ['ServiceError', 429, 'rate_limited', 'rate_limited'],
    retryAt: true,
  },
  moved: ['ServiceError', redirect, 'unexpected', null],
  timedOut: ['ConnectionError', 'waiting', true, 'time-out maybe'],
  closed: closed
    ? ['ConnectionError', 'waiting', false, `${closed} maybe`]
    : ['ConnectionError', 'connecting', false, 'ECONNREFUSED no'],
  aborted: { reason: true, events: ['request', 'aborted'], gone: true, userAgent },
})
