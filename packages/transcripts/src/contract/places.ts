import { asObject, isObject, type JsonObject, sampleOf, textOf, valueAt } from '../json/index.js'
import { type Losses, type Place, reasons, within } from '../model/index.js'
import type { DeclaredConversation, Note, Where } from './declaration.js'

/** True for a value that is not empty. */
export const isGiven = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

export const pathsOf = (where: Where | undefined): string[] =>
  where === undefined || typeof where === 'function' ? [] : [where].flat()

/** The `note` of the functions of a declaration. */
export const noteIn = (losses: Losses): Note =>
  Object.assign((...texts: readonly unknown[]) => losses.note(...texts), {
    each: (texts: Iterable<unknown>) => losses.noteEach(texts),
    repeated(text: unknown, what: string) {
      losses.note(text)
      losses.add('merged', what, reasons.repeated)
    },
  })

/** For a value that is read once more. */
export const noNote: Note = Object.assign(() => {}, { each() {}, repeated() {} })

const stepsOf = (path: string) => path.split('.')

export const valueBy = (fields: JsonObject, path: string): unknown =>
  path.includes('.') ? valueAt(fields, stepsOf(path)) : Object.hasOwn(fields, path) ? fields[path] : undefined

/** A function that finds the value of the first place that has one. */
export function finderOf(where: Where | undefined): Find {
  if (typeof where === 'function') {
    return (fields, note = noNote, conversation = fields) => where(fields, note, conversation)
  }
  const paths = pathsOf(where).map(stepsOf)
  return (fields) => {
    for (const path of paths) {
      const value = valueAt(fields, path)
      if (isGiven(value)) return value
    }
    return undefined
  }
}

export type Find = (fields: JsonObject, note?: Note, conversation?: JsonObject) => unknown

/** The functions that find the values of these names in a table of places. */
export function findersOf<Name extends string>(
  table: { readonly [K in Name]?: Where | undefined },
  ...names: readonly Name[]
): Readonly<Record<Name, Find>> {
  return Object.fromEntries(names.map((name) => [name, finderOf(table[name])])) as Record<Name, Find>
}

export const placeAt = (place: Place, path: string): Place => within(place, ...stepsOf(path))

/** Count the values of the other places, if they differ from the first. */
export function countOthers(fields: JsonObject, where: Where | undefined, losses: Losses, label = ''): void {
  if (where === undefined || typeof where !== 'object') return
  const given = where.filter((path) => isGiven(valueBy(fields, path)))
  if (given.length > 1)
    losses.addOthers(Object.fromEntries(given.map((path) => [path, valueBy(fields, path)])), given, label)
}

/** A function that reads the metadata of a table. A long text is cut; a value that is too large for metadata is lost. */
export function metadataReader(
  table: NonNullable<DeclaredConversation['metadata']> = {},
): (fields: JsonObject, losses: Losses, conversation?: JsonObject) => JsonObject {
  if (typeof table === 'function') return table
  if (typeof table === 'string') return (fields, losses) => wholeIn(fields, table, losses)
  const finders = Object.entries(table).map(([name, where]) => [name, finderOf(where)] as const)
  return (fields, losses, conversation) => {
    const metadata: JsonObject = {}
    for (const [name, find] of finders) {
      const value = find(fields, noteIn(losses), conversation)
      const kept = short(value)
      if (kept !== undefined) metadata[name] = kept
      if (typeof value === 'string' && value.length > maxText) {
        losses.note(value)
        losses.add('cut', `metadata "${name}"`, reasons.shortMetadata)
      } else if (kept === undefined && isGiven(value))
        losses.dropValue(value, `metadata "${name}"`, reasons.shortMetadata)
    }
    return metadata
  }
}

/** An object that is kept whole; any other value is counted as lost. */
function wholeIn(fields: JsonObject, path: string, losses: Losses): JsonObject {
  const value = valueBy(fields, path)
  if (!isObject(value)) losses.addField(path.slice(path.lastIndexOf('.') + 1), value)
  return asObject(value)
}

const maxText = 1000
const maxItems = 50

function short(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value)?.slice(0, maxText)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const entries = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  if (entries.length > 0) return entries.slice(0, maxItems)
  const numbers = isObject(value) ? Object.entries(value).filter(([, item]) => typeof item === 'number') : []
  return numbers.length > 0 ? Object.fromEntries(numbers) : undefined
}

/** A function that finds out if a value has a mark: all conditions of a signature that are separated by blanks. */
export function markOf(mark: string): (value: unknown) => boolean {
  const conditions = mark.split(' ').map(conditionOf)
  return (value) => conditions.every((holds) => holds(value))
}

/** The names in a mark. */
export const namesIn = (mark: string): string[] =>
  mark.split(' ').flatMap((condition) => stepsOf(condition.replace(/\[\]|=.*/g, '')))

function conditionOf(condition: string): (value: unknown) => boolean {
  const [path = '', texts] = condition.split('=')
  const wanted = texts?.split('|')
  const isOne =
    wanted === undefined ? isGiven : (value: unknown) => typeof value === 'string' && wanted.some(begins(value))
  const steps = stepsOf(path).map((step) => ({ name: step.replace('[]', ''), isList: step.endsWith('[]') }))
  const holds = (value: unknown, at: number): boolean => {
    const step = steps[at]
    if (step === undefined) return isOne(value)
    if (!isObject(value)) return false
    const inner = value[step.name]
    if (!step.isList) return holds(inner, at + 1)
    return Array.isArray(inner) && (at + 1 === steps.length || sampleOf(inner).some((item) => holds(item, at + 1)))
  }
  return (value) => holds(value, 0)
}

const begins = (value: string) => (text: string) =>
  text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text
