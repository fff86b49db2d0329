import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { connect as connectSecurely } from 'node:tls'

/** What a host shows of itself when TLS is spoken to it. */
export interface TlsFacts {
  /** Undefined where the certificate is trusted, else the code of the reason. */
  distrust: string | undefined
  /** Milliseconds since 1970. */
  validTo: number
  /** As in `TLSv1.3`. */
  protocol: string
}

/** The addresses of a host; rejects with the system's code. */
export const addressesOf = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Connects to a host and sends nothing; rejects with the system's code. */
export async function reach(host: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connect(port, host)
  await waitForEvent(socket, 'connect', signal).finally(() => socket.destroy())
}

/** Shakes hands with a host, trusts nothing and sends nothing; rejects with the system's code. */
export async function tlsOf(host: string, port: number, signal: AbortSignal): Promise<TlsFacts> {
  // Whether it is trusted is what is asked, so that a certificate which is not must not end the talk.
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

/** Whether a folder, or what is nearest above it where it is not there yet, can be written to. */
export async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    const above = dirname(path)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== path && mayWrite(above)
  }
}
