import { hash } from 'node:crypto'
import type { Annotation } from '@svc/client'
import { isAnnotation } from '../annotation-shape.js'

/** The first line, and perhaps others: each of several processes that begin a file at once writes it. */
export const header = '{"schema":"svc/annotation-cache@1"}'

/** The longest line that is read or written, in bytes. */
export const longestLine = 1 << 24

/** What a line begins with until it is whole: its first byte is written last. Such a line is none. */
export const draftMark = ' '

/** A place in a line where it is not what was written; the column counts characters, from 1. */
export interface Damage {
  column: number
  message: string
}

/** What stands before the annotation; `#` is any hex digit. */
const pattern = `{"digest":"${'#'.repeat(16)}","key":"${'#'.repeat(64)}","annotation":{`
const digestAt = pattern.indexOf('#')
const coveredFrom = pattern.indexOf('"key"')
const keyAt = pattern.indexOf('#', coveredFrom)
const annotationAt = pattern.length - 1

/** An annotation as a line, without the line break. Its digest covers everything that comes behind it. */
export function lineOf(key: string, annotation: Annotation): string {
  const rest = `"key":"${key}","annotation":${JSON.stringify(annotation)}}`
  return `{"digest":"${digestOf(rest)}",${rest}`
}

const digestOf = (covered: string | Buffer): string => hash('sha256', covered).slice(0, 16)

/** The key of a line, without its annotation being read; undefined for a header, and for what is not whole yet. */
export function keyIn(line: Buffer): string | Damage | undefined {
  if (line.length > longestLine) return { column: 1, message: `expected lines of at most ${longestLine} bytes` }
  if (line.length === 0 || line[0] === draftMark.charCodeAt(0)) return undefined
  if (line.length === header.length && line.toString('latin1') === header) return undefined
  const column = firstOdd(line)
  if (column !== undefined) return { column, message: 'expected an entry as svc writes it' }
  if (line.toString('latin1', digestAt, digestAt + 16) !== digestOf(line.subarray(coveredFrom)))
    return { column: digestAt + 1, message: 'the digest of the line is another: it was changed or cut off' }
  return line.toString('latin1', keyAt, keyAt + 64)
}

/** The annotation of a line; undefined where that is not the line of the key, or the annotation is not whole. */
export function annotationIn(line: Buffer, key: string): Annotation | undefined {
  if (keyIn(line) !== key) return undefined
  try {
    const annotation: unknown = JSON.parse(line.toString('utf8', annotationAt, line.length - 1))
    return isAnnotation(annotation) ? annotation : undefined
  } catch {
    return undefined
  }
}

/** The column of the first byte that the pattern does not have there; all of it is ASCII. */
function firstOdd(line: Buffer): number | undefined {
  for (let at = 0; at < pattern.length; at++) {
    const byte = line[at] ?? 0
    const isDigit = (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 102)
    const expected = pattern.charCodeAt(at)
    if (expected === 35 ? !isDigit : byte !== expected) return at + 1
  }
  return undefined
}

/** What is wrong with the first line of a file, given all of it or its beginning. */
export function damageOfHeader(line: Buffer): Damage | undefined {
  const text = line.toString('latin1', 0, 100)
  if (text === header) return undefined
  const other = /^\{"schema":"(svc\/annotation-cache@\d{1,9})"/.exec(text)?.[1]
  const found = other ? `, found ${other}` : ''
  return { column: 1, message: `expected ${header}${found}` }
}
