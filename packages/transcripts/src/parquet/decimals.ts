import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet'
import { ContainerError } from '../container-limits.js'
import type { ParquetReader } from './reader.js'

/** The places of decimals in the values of a column, which hyparquet would read as rounded numbers. */
export interface Decimals {
  /** The number of digits behind the point, if the values are decimals. */
  scale?: number
  /** Those in the fields of a struct, by their names. */
  fields?: ReadonlyMap<string, Decimals>
  /** Those in the elements of a list, or in the values of a map. */
  each?: Decimals
}

/** The most digits, as in Arrow: those of 32 bytes. */
const mostDigits = 76
const mostBytes = 32

/** The digits that a number of JavaScript keeps. */
const safeDigits = 15

/**
 * The places of decimals in the rows, and the metadata with which the reader gives their whole numbers: the digits without the
 * point. `variants` are the columns whose decimals are read as numbers.
 */
export function decimalsIn(
  { isListLike, isMapLike, parquetSchema }: ParquetReader,
  metadata: FileMetaData,
): { decimals: Decimals; metadata: FileMetaData; variants: string[] } {
  const found = new Set<SchemaElement>()
  const variants: string[] = []
  const placesIn = (node: SchemaTree): Decimals => {
    const { element, children } = node
    if (element.logical_type?.type === 'VARIANT') {
      variants.push(node.path.join('.'))
      return {}
    }
    if (children.length === 0) {
      if (!isDecimal(element)) return {}
      found.add(element)
      return { scale: scaleOf(element, node.path) }
    }
    const [inner] = children
    if (inner && isListLike(node))
      return { each: placesIn(inner.children.length === 1 ? (inner.children[0] as SchemaTree) : inner) }
    if (inner && isMapLike(node)) {
      const [key, value] = inner.children as [SchemaTree, SchemaTree]
      if (isDecimal(key.element))
        throw new ContainerError(
          `the Parquet file has a map "${node.path.join('.')}" with decimals as keys; ${asTexts}`,
        )
      return { each: placesIn(value) }
    }
    return { fields: new Map(children.map((child) => [child.element.name, placesIn(child)])) }
  }
  const decimals = placesIn(parquetSchema(metadata))
  const schema = metadata.schema.map((element) => {
    const { converted_type: _, logical_type: __, ...plain } = element
    return found.has(element) ? plain : element
  })
  return { decimals, metadata: { ...metadata, schema }, variants }
}

const asTexts = 'write them as texts'

const isDecimal = ({ converted_type: type, logical_type: logical }: SchemaElement) =>
  type === 'DECIMAL' || logical?.type === 'DECIMAL'

function scaleOf({ scale, precision = 0, logical_type: logical }: SchemaElement, path: readonly string[]): number {
  const digits = scale ?? (logical?.type === 'DECIMAL' ? logical.scale : undefined) ?? 0
  if (digits >= 0 && Math.max(digits, precision) <= mostDigits) return digits
  throw tooLong(path.join('.'))
}

const tooLong = (column: string) =>
  new ContainerError(
    `the Parquet file has decimals of more than ${mostDigits} digits in the column "${column}"; ${asTexts}`,
  )

/** A decimal as JSON: a number, or a text with all its digits if JavaScript would round a number with a point. */
export function decimalText(value: number | bigint | Uint8Array, scale: number, column: string): string {
  const whole = value instanceof Uint8Array ? wholeOf(value, column) : BigInt(value)
  // Whole numbers keep their digits in ids, as in other columns.
  if (scale === 0) return `${whole}`
  const digits = `${whole < 0n ? -whole : whole}`
  const padded = digits.padStart(scale + 1, '0')
  const text = `${whole < 0n ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
  return digits.length > safeDigits ? JSON.stringify(text) : `${Number(text)}`
}

/** The number in bytes: two's complement, the highest byte first. */
function wholeOf(bytes: Uint8Array, column: string): bigint {
  if (bytes.length > mostBytes) throw tooLong(column)
  const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return BigInt.asIntN(bytes.length * 8, value)
}
