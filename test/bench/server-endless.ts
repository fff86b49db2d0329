import { connect } from 'node:net'
import { headers } from './server-process.js'

/** How an upload that never ends was answered; milliseconds. */
export interface Refused {
  status: number
  /** From the byte that crosses the limit to the first byte of the answer. */
  answeredIn: number
  /** From the first byte of the answer to the end of the connection. */
  closedIn: number
  /** Bytes of the body that the socket took, from the first one to the end of the connection. */
  sent: number
}

const chunk = Buffer.alloc(64 * 1024, 'a')
const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])

/** How a client behaves whose body is too large. */
export interface Manners {
  /** Declares this Content-Length and waits before the body; the crossing byte is then the last one of the head. */
  declared?: number
  /** Goes on sending after the answer, until the connection ends. */
  deaf?: boolean
}

/** Sends a body without end, in chunks, until it sees an answer. */
export function endlessUpload(
  origin: string,
  path: string,
  limit: number,
  { declared, deaf = false }: Manners,
): Promise<Refused> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const length = declared === undefined ? 'transfer-encoding: chunked' : `content-length: ${declared}`
    const head = [`POST ${path} HTTP/1.1`, `host: ${hostname}`, `authorization: ${headers.authorization}`, length]
    socket.write(`${[...head, 'content-type: application/json'].join('\r\n')}\r\n\r\n`)
    let sent = 0
    let crossedAt = declared === undefined ? Number.NaN : performance.now()
    let answeredAt = Number.NaN
    let status = 0

    const send = () => {
      let taken = declared === undefined && !socket.destroyed && (status === 0 || deaf)
      while (taken) {
        sent += chunk.length
        if (sent > limit && Number.isNaN(crossedAt)) crossedAt = performance.now()
        taken = socket.write(framed)
      }
    }
    socket.on('connect', send).on('drain', send)
    socket.on('data', (data) => {
      if (!Number.isNaN(answeredAt)) return
      answeredAt = performance.now()
      status = Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1])
      if (!deaf) socket.end()
    })
    // The server ends, and later resets, what still sends; both are the end that is waited for.
    socket.on('end', () => socket.destroy()).on('error', () => socket.destroy())
    socket.on('close', () => {
      if (status === 0) return reject(new Error(`${path}: closed without an answer`))
      resolve({ status, answeredIn: answeredAt - crossedAt, closedIn: performance.now() - answeredAt, sent })
    })
    socket.setTimeout(10_000, () => socket.destroy())
  })
}
