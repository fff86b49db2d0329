import type { Transcript, TranscriptUpload, Turn } from '../types.js'
import { isObject } from '../validation/index.js'
import type { Ambiguities } from './declarations.js'

type Metadata = NonNullable<TranscriptUpload['metadata']>

export function storedMetadata(metadata: Metadata, reading: Ambiguities['metadata']): Metadata {
  switch (reading) {
    case 'stripped':
      return {}
    case 'strings':
      return Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      )
    case 'flat':
      return Object.fromEntries(flatEntries('', metadata))
    default:
      return metadata
  }
}

/** The values of nested objects under the names of their paths; an empty object is a value. */
const flatEntries = (path: string, object: Metadata): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) && Object.keys(value).length > 0 ? flatEntries(`${path}${name}.`, value) : [[path + name, value]],
  )

export function shownRow(record: Transcript, reading: Ambiguities['rowFields']): object {
  switch (reading) {
    case 'id':
      return { id: record.id }
    case 'names':
      return { id: record.id, name: record.name }
    case 'no metadata': {
      const { metadata, ...others } = record
      return others
    }
    case 'null metadata':
      return { ...record, metadata: null }
    case 'empty metadata':
      return { ...record, metadata: {} }
    default:
      return record
  }
}

/** The part of a single read that shows the turns. */
export function shownTurns(turns: readonly Readonly<Turn>[], reading: Ambiguities['turns']): object {
  switch (reading) {
    case 'messages':
      return { messages: turns }
    case 'none':
      return {}
    case 'redacted':
      return { turns: turns.map((turn) => ({ ...turn, content: null })) }
    default:
      return { turns }
  }
}
