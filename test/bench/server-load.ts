import autocannon from 'autocannon'
import { headers, type ServerProcess } from './server-process.js'

/** A request that is sent many times. */
export interface Kind {
  path: string
  /** Makes it a POST. */
  body?: object
  /** In place of the key that every server knows. */
  authorization?: string
  /** Default: any 2xx. */
  expected?: number
}

/** Sends so many, over 20 connections, and gives the microseconds of the processor that the server spent on each. */
export async function load(server: ServerProcess, kind: Kind, amount: number): Promise<number> {
  const { path, body, authorization = headers.authorization, expected } = kind
  const before = await server.used()
  const { errors, non2xx, statusCodeStats } = await autocannon({
    url: server.origin + path,
    connections: 20,
    amount,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const after = await server.used()
  const answered = expected === undefined ? amount - non2xx : (statusCodeStats?.[`${expected}`]?.count ?? 0)
  if (errors > 0 || answered !== amount) {
    throw new Error(`${path}: ${errors} errors, answered ${JSON.stringify(statusCodeStats)}`)
  }
  return (after.cpu - before.cpu) / amount
}
