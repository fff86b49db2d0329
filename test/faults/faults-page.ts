import type { Fault, Row } from './fault.js'

const intro = `# What the client does when something fails

Every row is a test: a server on a real port does what the row says, a client with default options (but for those that
the row names) calls it, and what stands here is what that server saw and what that caller got. Each row is put to the
client over the runtime's \`fetch\`, over \`nodeTransport()\` and over \`nodeTransport({ connections: 40 })\`; all must come
to the same. The tests write this page ([\`test/faults\`](../../test/faults)) and fail when it is out of date.

**Call.** What a call may do decides whether it is sent again:

| kind | calls | sent again |
| --- | --- | --- |
| read | every GET of a record or a list; here \`projects.get\` | up to twice: it changes nothing |
| annotation | \`annotations.create\` | where nothing was computed, and once after a lost connection: it stores nothing but may be billed |
| write | \`projects.create\`, \`transcripts.upload\` | only when it is certain that nothing was stored |
| write, stored | the same; the server had stored it before it failed | never: it is found |
| legacy | \`legacy.createSession\`, \`legacy.createTranscript\` | only when it did not arrive or got a 429: what they store cannot be looked for |
| batch | \`batches.create\`, \`batches.get\` | only when it did not arrive or got a 429: the endpoints are declared, not built |

**Sends.** The requests in order, with the time that passes between them. \`0–0.5 s\` is chance: a back-off may last
anything within it. The time that \`Retry-After\` names is never undercut and exceeded by a fifth at most. A time at the
end passes before the call settles. A \`look\` is what the client reads to find out whether a write was stored: the list,
and the record that fits, whose words are compared; the record that it finds is the result. A write without a whole answer counts as absent only when its time-out (60 s by
default) and 5 s more have passed, because until then it may still be stored.

**Gets.** What the call resolves to or rejects with. \`AmbiguousWriteError\` means that the write may be stored: look
before you send it again. The other classes are explained in the [client's README](../../packages/client/README.md).
`

const measured = `## Faults that other clients fail

These 26 were put to ten widely used SDKs and HTTP clients, in this order. Each of those failed some: it sent a POST again
that may have been stored, came back before it was asked to, gave out a proxy's page as a result, or never settled.
`

const further = `## Further faults

What redirects, proxies, broken connections and this service's interface make possible beyond those. In every row here
and above, a second server of another origin stood by, and nothing was ever sent to it.
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

/** What is done three times over in the same way is written once. */
function folded(sends: string): string {
  const third = sends.slice(0, (sends.length - 6) / 3)
  return sends === [third, third, third].join(' · ') ? `3 × (${third})` : sends
}
