import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { connect } from 'node:tls'

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

/** Shakes hands with a host, trusts nothing and sends nothing; rejects with the system's code. */
export const tlsOf = (host: string, port: number, signal: AbortSignal): Promise<TlsFacts> =>
  new Promise((resolve, reject) => {
    // Whether it is trusted is what is asked, so that a certificate which is not must not end the talk.
    const socket = connect({ host, port, servername: /^[\d.]+$|:/.test(host) ? '' : host, rejectUnauthorized: false })
    const stop = () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
    const end = () => {
      signal.removeEventListener('abort', stop)
      socket.destroy()
    }
    signal.addEventListener('abort', stop, { once: true })
    socket.once('error', (error) => {
      end()
      reject(error)
    })
    socket.once('secureConnect', () => {
      const { authorizationError } = socket as { authorizationError?: unknown }
      const facts = {
        distrust: socket.authorized ? undefined : String((authorizationError as Error)?.message ?? authorizationError),
        validTo: Date.parse(socket.getPeerCertificate().valid_to),
        protocol: socket.getProtocol() ?? 'TLS',
      }
      end()
      resolve(facts)
    })
  })

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
