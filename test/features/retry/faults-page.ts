import { failureOf } from '../../../packages/client/src/errors/index.js'
import { defaultTimes } from '../../../packages/client/src/options.js'
import { markdownTable } from '../../helpers/markdown-table.js'
import type { Fault, Row } from './fault.js'

const seconds = (ms: number) => ms / 1_000

const intro = `# How the client handles failures

Each row is a test. A server on a real port fails as the row describes, and a client with default options (except those
in the row) calls it. The row shows the requests that the server received and the result that the caller got. Each row runs
over the runtime's \`fetch\`, over \`nodeTransport()\` and over \`nodeTransport({ connections: 40 })\`, with the same result.
The tests generate this page ([\`test/features/retry\`](../../test/features/retry)) and fail when it is out of date.

**Call.** The kind of a call decides whether the client retries it:

| kind | calls | retried |
| --- | --- | --- |
| read | every GET of a record or a list; here \`projects.get\` | up to twice: it changes nothing |
| annotation | \`annotations.create\` | if nothing was computed, and once after a lost connection: it stores nothing but may be billed |
| write | \`projects.create\`, \`transcripts.upload\` | only if it is certain that nothing was stored |
| write, stored | the same; the server had stored it before it failed | never: the client finds the stored record |
| legacy | \`legacy.createSession\`, \`legacy.createTranscript\` | only if it did not arrive or got a 429: the client cannot search for the stored record |
| batch | \`batches.create\`, \`batches.get\` | only if it did not arrive or got a 429: the endpoints are declared, not built |

**Sends.** The requests in order, with the time between them. \`0–0.5 s\` is a random back-off within that range. The client
waits at least as long as \`Retry-After\` says, and at most a fifth longer. A time at the end passes before the call settles. A
\`search\` finds out whether a write was stored: the client reads the list and the matching record, and compares the content;
a record that matches is the result. After a write without a complete response, the client assumes that nothing was stored only
when the time-out (\`timeoutMs\`, by default ${seconds(defaultTimes.timeoutMs)} s) and \`settleMs\` (by default ${seconds(defaultTimes.settleMs)} s) have passed, because the service may store it
until then, and its list may lag behind.

**Gets.** The value that the call resolves to, or the error that it rejects with. \`AmbiguousWriteError\` means that the write may
be stored: search for it before you send it again. The [client's README](../../packages/client/README.md) explains the other classes.
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
    const names = examples.map(({ code, syscall }) => code && `\`${[syscall, code].filter(Boolean).join(' ')}\``)
    const overNode = verdictOf(inHandshake ? { phase: 'connecting' } : {})
    return [cause, names.filter(Boolean).join(', '), verdictOf({}).join('; '), overNode.join('; ')]
  })
  return markdownTable([['cause', 'examples', 'over `fetch`', 'over `nodeTransport()`'], ...rows])
}

const sent = `## Was it sent?

A failed request has \`sent: 'no'\` in its attempt only if it is certain that nothing reached the service. The system call,
the code and the transport decide this. \`nodeTransport()\` sees if a connection broke in the TLS handshake; \`fetch\` shows the
same error for a handshake and for an open connection. A custom transport may set \`phase: 'connecting'\` on its error if it
saw that the connection was not established.
`

const measured = `## Faults that other clients fail

Ten widely used SDKs and HTTP clients were tested with these 26 faults, in this order. Each of them failed some: it sent a POST again
that may have been stored, retried earlier than the server asked, returned a proxy's page as a result, or never settled.
`

const further = `## Further faults

These faults come from redirects, proxies, broken connections and the interface of this service. In every row on this page, a
second server of another origin was listening, and the client never sent anything to it.
`

/** The reference page of the faults. */
export const faultsPage = (measuredFaults: Fault[], furtherFaults: Fault[]): string =>
  [intro, sent, sentTable(), measured, table(measuredFaults), further, table(furtherFaults)].join('\n')

const line = (cells: string[]) => `| ${cells.join(' | ')} |`

function table(faults: Fault[]): string {
  const rows = faults.flatMap((fault, i) => fault.map((row, j) => line(cells(row, j === 0 ? i + 1 : undefined))))
  return [line(['', 'fault', 'call', 'sends', 'gets']), line(Array(5).fill('---')), ...rows, ''].join('\n')
}

const cells = ({ fault, kind, sends, gets }: Row, number: number | undefined): string[] => [
  number === undefined ? '' : String(number),
  number === undefined ? '' : fault,
  kind === 'stored' ? 'write, stored' : kind,
  folded(sends),
  gets,
]

/** Write a sequence that repeats three times once, with a factor. */
function folded(sends: string): string {
  const third = sends.slice(0, (sends.length - 6) / 3)
  return sends === [third, third, third].join(' · ') ? `3 × (${third})` : sends
}
