import type { Format } from '../contract/index.js'
import { readers } from './readers.js'

/** The name of a format, as in `parse(text, { format })`. */
export type FormatId = (typeof readers)[number]['id']

/** The name of a format, or of one that is given as in `parse(text, { formats: [mine] })`. */
export type AnyFormatId = FormatId | (string & {})

/** The formats that can be read. */
export const formats: readonly { id: FormatId; title: string }[] = readers.map(({ id, title }) => ({ id, title }))

/**
 * A format by its id, first of those given.
 *
 * @throws {RangeError} naming all formats, when there is none with that id
 */
export function formatNamed(id: string, own: readonly Format[] = []): Format {
  const all: readonly Format[] = [...own, ...readers]
  const format = all.find((known) => known.id === id)
  if (format) return format
  throw new RangeError(`unknown format "${id}"; known are ${all.map((known) => known.id).join(', ')}`)
}
