import type { Upload } from '@svc/transcripts'
import type { Conversation } from '../../conversations.js'
import { CliError, exit } from '../../exit.js'
import type { Source } from '../../sources.js'
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
  body(conversation: Conversation, item: Item): Upload
}

/** The items of a plan with their bodies: those held as they are, the others read from their sources once more. */
export async function* bodiesOf(items: readonly Planned[], again: Again): AsyncGenerator<Ready | Changed> {
  let reading: Rereading | undefined
  try {
    for (const { body, ...item } of items) {
      if (body) yield { item, body }
      else {
        if (reading?.source !== item.source) {
          await reading?.close()
          reading = reread(item.source, again)
        }
        yield await reading.ready(item)
      }
    }
  } finally {
    await reading?.close()
  }
}

interface Rereading {
  source: Source
  ready(item: Item): Promise<Ready | Changed>
  close(): Promise<void>
}

/** Looks for items of a source in their order. */
function reread(source: Source, again: Again): Rereading {
  const conversations = again.read(source)
  let next = 0
  const find = async (item: Item): Promise<Ready | Changed> => {
    for (;;) {
      const { done, value } = await conversations.next()
      if (done) return { item, changed: changed(item) }
      if (next++ < item.index) continue
      const body = again.body(value, item)
      return digestOf(body) === item.digest ? { item, body } : { item, changed: changed(item) }
    }
  }
  return {
    source,
    ready: (item) => find(item).catch((cause: unknown) => ({ item, changed: changed(item, cause) })),
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
