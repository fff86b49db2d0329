import type { Fault, Row } from './fault.js'

const intro = `# How the client handles failures

Each row is a test. A server on a real port fails as the row describes, and a client with default options (except those
in the row) calls it. The row shows the requests that the server received and the result that the caller got. Each row runs
over the runtime's \`fetch\`, over \`nodeTransport()\` and over \`nodeTransport({ connections: 40 })\`, with the same result.
The tests generate this page ([\`test/faults\`](../../test/faults)) and fail when it is out of date.

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
when the time-out (60 s by default) and 5 more seconds have passed, because the service may store it until then.

**Gets.** The value that the call resolves to, or the error that it rejects with. \`AmbiguousWriteError\` means that the write may
be stored: search for it before you send it again. The [client's README](../../packages/client/README.md) explains the other classes.
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
  [intro, measured, table(measuredFaults), further, table(furtherFaults)].join('\n')

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
