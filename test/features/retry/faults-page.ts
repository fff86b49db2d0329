import { grouped } from '@svc/text'
import { failureOf } from '../../../packages/client/src/errors/index.js'
import { defaultTimes } from '../../../packages/client/src/options.js'
import { markdownTable } from '../../helpers/markdown-table.js'
import type { Fault, Row } from './fault.js'

const seconds = (ms: number) => ms / 1_000

const intro = `# How the client handles failures

Each row is a test of a client with default options (except those in the row), over \`fetch\` and over \`nodeTransport()\`: the
requests that it sends, and the result of the call.

| call | calls | retried |
| --- | --- | --- |
| read | every GET of a record or a list | up to twice: it changes nothing |
| annotation | \`annotations.create\` | if nothing was computed, and once after a lost connection: it stores nothing but may be billed |
| write | \`projects.create\`, \`transcripts.upload\` | only if it is certain that nothing was stored |
| write, stored | the same; the server had stored it before it failed | never: the client finds the stored record |
| legacy | \`legacy.createSession\`, \`legacy.createTranscript\` | only if it did not arrive or got a 429: the client cannot search for the stored record |
| batch | \`batches.create\`, \`batches.get\` | only if it did not arrive or got a 429: the endpoints are declared, not built |

**Sends.** The requests in order, with the time between them. \`0–0.5 s\` is a random back-off within that range. The client
waits at least as long as \`Retry-After\` says, and at most a fifth longer. A \`search\` reads the list and the matching record, and
compares the content; a record that matches is the result. After a write without a complete response, the client assumes that
nothing was stored only when \`timeoutMs\` (default ${seconds(defaultTimes.timeoutMs)} s) and \`settleMs\` (default ${seconds(defaultTimes.settleMs)} s) have passed.

**Gets.** The result, or the [error](../../packages/client/README.md#errors) that the call rejects with. After an
\`AmbiguousWriteError\`, search before you send again: the write may be stored.
`

/**
 * Causes of failed requests, by the system call and the code of their error. `inHandshake`: `nodeTransport` sees that there
 * is no connection yet.
 */
const causes: { cause: string; examples: { code?: string; syscall?: string }[]; inHandshake?: true }[] = [
  {
    cause: 'an error of connecting, with any code',
    examples: ['ECONNREFUSED', 'ECONNRESET', 'ENETUNREACH', 'EMFILE', 'EACCES'].map((code) => ({
      code,
      syscall: 'connect',
    })),
  },
  {
    cause: 'an error of the resolver',
    examples: [
      { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
      { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
      { code: 'ESERVFAIL', syscall: 'queryA' },
    ],
  },
  {
    cause: 'a time-out of connecting, a proxy that refuses',
    examples: [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, { code: 'ERR_PROXY_REFUSED' }],
  },
  {
    cause: 'a certificate that is not trusted',
    examples: [{ code: 'CERT_HAS_EXPIRED' }, { code: 'SELF_SIGNED_CERT_IN_CHAIN' }],
  },
  {
    cause: 'no common protocol: no TLS on the port, or no common version',
    inHandshake: true,
    examples: [
      { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
      { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' },
      { code: 'EPROTO', syscall: 'write' },
    ],
  },
  {
    cause: 'a connection that breaks in the TLS handshake',
    inHandshake: true,
    examples: [{ code: 'ECONNRESET', syscall: 'read' }, { code: 'ECONNRESET' }],
  },
  {
    cause: 'an error of an established connection, with any code',
    examples: [
      { code: 'EHOSTUNREACH', syscall: 'read' },
      { code: 'ENETUNREACH', syscall: 'write' },
      { code: 'UND_ERR_SOCKET' },
    ],
  },
  { cause: 'an error without a code, as in browsers, Workers and Deno', examples: [{}] },
]

const verdicts = {
  unreached: 'not sent; sent again',
  misconfigured: 'not sent; never sent again',
  mismatch: 'maybe sent; never sent again, no search',
  lost: 'maybe sent',
}

function sentTable(): string {
  const rows = causes.map(({ cause, examples, inHandshake }) => {
    const verdictOf = (seen: object) => [...new Set(examples.map((each) => verdicts[failureOf({ ...each, ...seen })]))]
    const names = examples
      .slice(0, 2)
      .map(({ code, syscall }) => code && `\`${[syscall, code].filter(Boolean).join(' ')}\``)
    const overNode = verdictOf(inHandshake ? { phase: 'connecting' } : {})
    return [cause, names.filter(Boolean).join(', '), verdictOf({}).join('; '), overNode.join('; ')]
  })
  return markdownTable([['cause', 'examples', 'over `fetch`', 'over `nodeTransport()`'], ...rows])
}

const sent = `## Was it sent?

A failed request has \`sent: 'no'\` in its attempt only if it is certain that nothing reached the service. A custom transport may set
\`phase: 'connecting'\` on its error.
`

const faults = `## Faults

Every 4xx but 408, 429 and 499 ends the call with a \`ServiceError\`. So does a redirect, which the client never follows.
`

/** The reference page of the faults. */
export const faultsPage = (all: Fault[]): string => [intro, sent, sentTable(), faults, table(all)].join('\n')

const line = (cells: string[]) => `| ${cells.join(' | ')} |`

function table(all: Fault[]): string {
  const groups = grouped(all, (fault) => linesOf(fault).join('\n'))
  const rows = [...groups].flatMap(([lines, alike]) => {
    const names = alike.map(([row]) => row?.fault).join('<br>')
    return lines.split('\n').map((cells, at) => `| ${at === 0 ? names : ''} ${cells}`)
  })
  return [line(['fault', 'call', 'sends', 'gets']), line(Array(4).fill('---')), ...rows, ''].join('\n')
}

/** The cells of a fault after its name: a line for all calls with the same requests and result. */
function linesOf(fault: Fault): string[] {
  // The name of a fault says the status.
  const cells = ({ sends, gets }: Row) => `${requestsOf(sends)} | ${gets.replace(/, \d{3} /, ', ')}`
  const kindsOf = (rows: Row[]) => rows.map(({ kind }) => (kind === 'stored' ? 'write, stored' : kind)).join('; ')
  return [...grouped(fault, cells)].map(([shown, rows]) => `| ${kindsOf(rows)} | ${shown} |`)
}

/** The requests of a call, whose kind says the method; a sequence that repeats three times is written once, with a factor. */
function requestsOf(sends: string): string {
  const requests = sends.replaceAll(/GET|POST/g, 'request')
  const third = requests.slice(0, (requests.length - 6) / 3)
  return requests === [third, third, third].join(' · ') ? `3 × (${third})` : requests
}
