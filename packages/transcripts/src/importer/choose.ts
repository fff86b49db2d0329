import type { FileRecord, Format } from '../contract/index.js'
import { formatNamed, hasMapped } from '../formats/index.js'
import { type Place, startOfFile } from '../model/index.js'
import type { Layout } from '../records/index.js'
import { chooseFormat, detectable, hasFormat, isRecognizedBy, type Ranked, rankFormats } from './detect.js'
import { type FileHead, refusalOf, unreadProduct } from './known-products.js'
import { MappedFields } from './mapped-fields.js'
import type { Columns } from './maps.js'
import type { ParseOptions } from './options.js'
import { asJson, type ParsedRecord, parsedRecords } from './parsed-record.js'
import { ambiguousFormat, type Details, withAdvice } from './problems.js'
import { unknownFormat } from './unknown.js'
import { unwrap, type Wrapping, wrappingIn, wrappingsOf } from './unwrap.js'

/** The format of a file, and the values in its records that are of it. */
export interface Chosen {
  format: Format
  /** Undefined if the records themselves are of the format. */
  wrapping: Wrapping | undefined
  /** True if the format reads a wrapped list as one record. */
  keepsLists: boolean
  /** The first records, with what they wrap: they name the product of a file that cannot be read. */
  seen: readonly FileRecord[]
}

/** The reason why no format reads a file. */
export interface Refusal {
  message: string
  place: Place
  details?: Details | undefined
  /** The record of the place, if its text is needed to find it. */
  parsed?: ParsedRecord
}

/** The facts of a file beside its first records. */
interface ChooseContext {
  options: ParseOptions
  layout: Layout | undefined
  member: string | undefined
  head: FileHead
  /** True if a text is read with these fields mapped. */
  reads(text: string, columns: Columns): boolean
}

/** The format that reads the file with these first records, or the reasons why none does. */
export function chooseReading(
  sample: readonly ParsedRecord[],
  context: ChooseContext,
): Chosen | { refusals: readonly Refusal[] } {
  const { options, head } = context
  const records = detectable(sample.filter(({ error }) => !error).map(({ record }) => record))
  const ranked = rankFormats(records, options.formats)
  const { chosen, tied } = chooseFormat(ranked)
  // A document that a format recognizes is of that format or refused; its parts are not tried.
  const mapped = records.some(({ value }) => hasMapped(value, options)) ? 'dialogues' : undefined
  const isKnown = hasFormat(ranked, options.columns)
  const wrapped = mapped === undefined && !isKnown ? wrappedIn(records, options) : undefined
  const id = mapped ?? chosen?.format
  const format = wrapped?.format ?? (id === undefined ? undefined : formatNamed(id, options.formats))
  const wrapping = wrapped?.wrapping
  // A product may be known by its record, or by what that wraps.
  const seen = wrapping ? records.flatMap((record) => [record, ...unwrap(record, wrapping, false)]) : records
  const product = unreadProduct(seen, format, head)
  if (format && !product) return { format, wrapping, keepsLists: wrapped?.keepsLists ?? false, seen }
  if (!product) return { refusals: refusalsOf(sample, ranked, tied, context) }
  const [message, place, details] = refusalOf(product, records[0] ? placeOf(records[0]) : startOfFile)
  return { refusals: [{ message, place, details }] }
}

/** The wrapping in the first record of a file whose format is given; undefined if the record is of the format itself. */
export function wrappingFor(record: FileRecord, format: Format): Pick<Chosen, 'wrapping' | 'keepsLists'> | undefined {
  const wrapping = wrappingIn(record, (records) => isRecognizedBy(format, records))
  return wrapping && { wrapping, keepsLists: isRecognizedBy(format, unwrap(record, wrapping, true)) }
}

/** The format of the values that the records wrap, if the records themselves are of no format. */
function wrappedIn(
  records: readonly FileRecord[],
  { formats }: ParseOptions,
): Pick<Chosen, 'format' | 'wrapping' | 'keepsLists'> | undefined {
  const [first] = records
  if (first === undefined) return undefined
  for (const wrapping of wrappingsOf(first.value)) {
    const inner = records.flatMap((record) => unwrap(record, wrapping, false))
    const { chosen } = chooseFormat(rankFormats(inner, formats))
    if (chosen === undefined) continue
    const format = formatNamed(chosen.format, formats)
    return { format, wrapping, keepsLists: isRecognizedBy(format, unwrap(first, wrapping, true)) }
  }
  return undefined
}

const placeOf = ({ record, offset, member }: FileRecord): Place =>
  member === undefined ? { record, offset, pointer: '' } : { record, offset, pointer: '', member }

/** The records that are no JSON, then the reason why the others are of no format. */
function refusalsOf(
  sample: readonly ParsedRecord[],
  ranked: readonly Ranked[],
  tied: ReturnType<typeof chooseFormat>['tied'],
  { options, layout, member, reads }: ChooseContext,
): Refusal[] {
  // Of a text of no known format the first line shows why it is no JSON.
  const firstLine = sample.slice(0, 1).map(({ raw }) => asJson(raw))
  const parsed = layout === 'text' ? [...parsedRecords(firstLine, 'text', member)] : sample
  const readable = parsed.find(({ error }) => !error)
  const isAdvised = !readable && typeof layout !== 'object'
  const refusals = parsed.flatMap(({ record, error }): Refusal[] =>
    error
      ? [{ message: isAdvised ? withAdvice(error, layout) : error.message, place: placeOf(record), details: error }]
      : [],
  )
  if (!readable) return refusals
  const values = parsed.flatMap(({ record, error }) => (error ? [] : [record.value]))
  const refuse = (message: string, details?: Details): Refusal[] => [
    ...refusals,
    { message, place: placeOf(readable.record), details, parsed: readable },
  ]
  const mapped = new MappedFields(options.columns)
  for (const { record } of parsed) mapped.see(record.value)
  if (mapped.isOpen) return refuse(mapped.problem)
  if (tied) return refuse(ambiguousFormat(...tied))
  const text = values.map((value) => JSON.stringify(value)).join('\n')
  const readsMapped = options.columns ? undefined : (columns: Columns) => reads(text, columns)
  return refuse(unknownFormat(values, ranked[0], readsMapped), { code: 'unknown_format' })
}
