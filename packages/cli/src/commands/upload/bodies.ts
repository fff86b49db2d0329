import type { Conversation } from '../../conversations.js'
import { CliError, exit } from '../../exit.js'
import type { Source } from '../../input/sources.js'
import { digestOf, type Item, type Ready } from './item.js'
import type { Planned } from './plan.js'

/** An item whose source no longer says what was checked. */
export interface Changed {
  item: Item
  changed: CliError
}

/** How a source is read once more. */
export interface Again {
  read(source: Source): AsyncGenerator<Conversation, void, undefined>
  json(conversation: Conversation, item: Item): string
}

/** The items of a plan with what is sent: those held as they are, the others read from their sources once more. */
export const bodiesOf = (items: readonly Planned[], again: Again): Iterable<Ready> | AsyncIterable<Ready | Changed> =>
  items.every(isHeld) ? items : eachBody(items, again)

const isHeld = (planned: Planned): planned is Ready => 'json' in planned

async function* eachBody(items: readonly Planned[], again: Again): AsyncGenerator<Ready | Changed> {
  let reading: Rereading | undefined
  try {
    for (const planned of items) {
      if (isHeld(planned)) yield planned
      else {
        const { source } = planned.item
        if (reading?.source !== source) {
          await reading?.close()
          reading = reread(source, again)
        }
        yield await reading.ready(planned)
      }
    }
  } finally {
    await reading?.close()
  }
}

interface Digested {
  item: Item
  digest: string
}

interface Rereading {
  source: Source
  ready(item: Digested): Promise<Ready | Changed>
  close(): Promise<void>
}

/** Looks for items of a source in their order. */
function reread(source: Source, again: Again): Rereading {
  const conversations = again.read(source)
  let next = 0
  const find = async ({ item, digest }: Digested): Promise<Ready | Changed> => {
    for (;;) {
      const { done, value } = await conversations.next()
      if (done) return { item, changed: changed(item) }
      if (next++ < item.index) continue
      const json = again.json(value, item)
      return digestOf(json) === digest ? { item, json } : { item, changed: changed(item) }
    }
  }
  return {
    source,
    ready: (wanted) =>
      find(wanted).catch((cause: unknown) => ({ item: wanted.item, changed: changed(wanted.item, cause) })),
    close: async () => {
      await conversations.return()
    },
  }
}

function changed({ label }: Item, cause?: unknown): CliError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const why = code === undefined ? 'it changed while uploading' : `it cannot be read any more (${code})`
  return new CliError(exit.someFailed, `${label}: ${why}; what was checked is not what is there now.`, {
    hint: 'run it again when the files are at rest',
    ...(cause !== undefined && { cause }),
  })
}
