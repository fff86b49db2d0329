import type { Format } from '../contract/index.js'
import { readers } from './readers.js'

/** The name of a format, as in `parse(text, { format })`. */
export type FormatId = (typeof readers)[number]['id']

/** The formats that can be read. */
export const formats: readonly { id: FormatId; title: string }[] = readers.map(({ id, title }) => ({ id, title }))

/**
 * A format by its id.
 *
 * @throws {RangeError} naming all formats, when there is none with that id
 */
export function formatOf(id: string): Format<FormatId> {
  const format = readers.find((known) => known.id === id)
  if (format) return format
  throw new RangeError(`unknown format "${id}"; known are ${readers.map((known) => known.id).join(', ')}`)
}
