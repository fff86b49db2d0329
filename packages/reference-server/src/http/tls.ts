import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../clock.js'
import { keepTransport } from './socket.js'

/** A certificate with its private key. */
export interface TlsCertificate {
  /** The certificate in PEM, followed by those of its issuers if there are any. */
  cert: string
  /** The private key of the certificate, in PEM without a passphrase. */
  key: string
}

/** The TLS of a listening server. */
export interface Tls {
  /** The certificate that clients have to trust, in PEM; undefined for one that was given. */
  ca?: string
  /** Let a server decrypt each connection before its other listeners get it. */
  wrap(server: Server): void
  /** Write what programs trust into a folder, and return the variables that name the files. */
  trust(folder: string, env: Variables): Record<string, string>
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Prepare TLS with a certificate, or with one that is made for `hosts` (names and addresses).
 *
 * @throws {TypeError} if the certificate or its key is unreadable, or if they do not belong together
 */
export async function createTls(certificate: TlsCertificate | true, hosts: readonly string[]): Promise<Tls> {
  const { fs, path, tls, crypto } = await nodeModules()
  const serverCertificate = certificate === true ? await createCertificate(hosts) : certificate
  checkCertificate(serverCertificate, crypto)
  const secureContext = tls.createSecureContext({ cert: serverCertificate.cert, key: serverCertificate.key })
  return {
    ...(certificate === true && { ca: serverCertificate.cert }),
    wrap(server) {
      const listeners = server.listeners('connection')
      server.removeAllListeners('connection')
      server.on('connection', (transport: Socket) => {
        const socket = new tls.TLSSocket(transport, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] })
        keepTransport(socket, transport)
        for (const listener of listeners) listener.call(server, socket)
      })
    },
    trust(folder, env) {
      const textsOf = (names: readonly string[]) => {
        const files = new Set(names.flatMap((name) => env[name] || []))
        // A file that is missing was trusted by nobody.
        return [...files].filter((file) => fs.existsSync(file)).map((file) => fs.readFileSync(file, 'utf8'))
      }
      const write = (name: string, texts: readonly string[]) => {
        const file = path.join(folder, name)
        fs.writeFileSync(file, [...texts, serverCertificate.cert].map((text) => `${text.trimEnd()}\n`).join(''))
        return file
      }
      // Node adds its file to the authorities that it knows. Others read theirs alone.
      const bundled = textsOf(bundleNames)
      const bundle = write('ca-bundle.pem', bundled.length > 0 ? bundled : tls.rootCertificates)
      return {
        [extraName]: write('ca.pem', textsOf([extraName])),
        ...Object.fromEntries(bundleNames.map((name) => [name, bundle])),
      }
    },
  }
}

const extraName = 'NODE_EXTRA_CA_CERTS'
/** OpenSSL and Go, Python's requests, curl. */
const bundleNames = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']

async function nodeModules() {
  // Bundlers for browsers leave an import inside `try` alone.
  try {
    return {
      fs: await import('node:fs'),
      path: await import('node:path'),
      tls: await import('node:tls'),
      crypto: await import('node:crypto'),
    }
  } catch (cause) {
    throw new Error('listen() cannot load node:tls; listen without the option tls.', { cause })
  }
}

function checkCertificate({ cert, key }: TlsCertificate, crypto: typeof import('node:crypto')): void {
  const read = <Value>(name: string, expected: string, make: () => Value): Value => {
    try {
      return make()
    } catch (cause) {
      throw new TypeError(`Invalid options of listen(): /tls/${name}: expected ${expected}.`, { cause })
    }
  }
  const certificate = read('cert', 'a certificate in PEM', () => new crypto.X509Certificate(cert))
  const privateKey = read('key', 'a private key in PEM without a passphrase', () => crypto.createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey))
    throw new TypeError(
      'Invalid options of listen(): /tls/key: expected the private key of /tls/cert; this is another.',
    )
}

const dayMs = 86_400_000

/**
 * Make a certificate that is valid for a year, and before for a day: clocks differ. It is no authority, so that who trusts it
 * trusts nothing but this server.
 */
async function createCertificate(hosts: readonly string[]): Promise<TlsCertificate> {
  type Library = typeof import('selfsigned')
  const library: Library & { default?: Library } = await import('selfsigned')
  // In a bundle a CommonJS library has only a default export.
  const { generate } = library.default ?? library
  const altNames = hosts.map((host) =>
    /^[\d.]+$|:/.test(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
  )
  const now = systemClock.now()
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - dayMs),
    notAfterDate: new Date(now + 365 * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { cert, key }
}
