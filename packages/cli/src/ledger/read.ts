import { type LedgerEvent, parseEvent } from './events.js'
import { damaged } from './failure.js'
import type { LedgerFile } from './files.js'
import { wholeLines } from './lines.js'

/** An event, and the file that it stands in. */
export interface Told {
  event: LedgerEvent
  path: string
}

/** The events of files in the order in which they were written. */
export function* eventsOf(files: readonly LedgerFile[]): Generator<Told, void, undefined> {
  const heads = files.flatMap((file) => {
    const rest = eventsIn(file)
    const first = rest.next().value
    return first ? [{ rest, event: first, path: file.path }] : []
  })
  while (heads.length > 0) {
    const [first] = heads
    if (!first) return
    const head = heads.length === 1 ? first : heads.reduce((least, each) => (isBefore(each, least) ? each : least))
    yield head
    const next = head.rest.next().value
    if (next) head.event = next
    else heads.splice(heads.indexOf(head), 1)
  }
}

/** Of two that neither writer had read of the other, an intent comes before what may close it. */
const isBefore = ({ event: one }: Told, { event: other }: Told): boolean =>
  one.n !== other.n ? one.n < other.n : one.event === 'intent' && other.event !== 'intent'

function* eventsIn({ path, header }: LedgerFile): Generator<LedgerEvent, void, undefined> {
  for (const { text, number } of wholeLines(path)) {
    if (number === 1) continue
    const event = parseEvent(text)
    if (!event) throw damaged(path, number, header.project)
    yield event
  }
}
