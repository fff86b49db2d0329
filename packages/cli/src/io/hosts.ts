import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { connect as connectSecurely } from 'node:tls'

export interface TlsFacts {
  /** Why the certificate is not trusted: a code. */
  distrust: string | undefined
  /** Milliseconds since 1970. */
  validTo: number
  /** As in `TLSv1.3`. */
  protocol: string
}

export const addressesOf = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Connect to a host without sending. Rejects with the system's error code. */
export async function reach(host: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connect(port, host)
  await waitForEvent(socket, 'connect', signal).finally(() => socket.destroy())
}

/** Do a TLS handshake without sending. Rejects with the system's error code. */
export async function tlsOf(host: string, port: number, signal: AbortSignal): Promise<TlsFacts> {
  // The handshake must not fail on an untrusted certificate, because the result reports the trust.
  const servername = /^[\d.]+$|:/.test(host) ? '' : host
  const socket = connectSecurely({ host, port, servername, rejectUnauthorized: false })
  try {
    await waitForEvent(socket, 'secureConnect', signal)
    const { authorizationError } = socket as { authorizationError?: unknown }
    return {
      distrust: socket.authorized ? undefined : String((authorizationError as Error)?.message ?? authorizationError),
      validTo: Date.parse(socket.getPeerCertificate().valid_to),
      protocol: socket.getProtocol() ?? 'TLS',
    }
  } finally {
    socket.destroy()
  }
}

function waitForEvent(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const stop = () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
  signal.addEventListener('abort', stop, { once: true })
  return new Promise<void>((resolve, reject) => socket.on('error', reject).once(event, () => resolve())).finally(() =>
    signal.removeEventListener('abort', stop),
  )
}

/** True if a folder can be written to, or if it is missing its nearest existing parent. */
export async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    const above = dirname(path)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== path && mayWrite(above)
  }
}
