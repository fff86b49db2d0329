import type { FieldsByPath } from '@svc/checks'
import { nearest } from '@svc/text'
import { CliError, exit } from '../exit.js'
import { type DocumentKind, documents, fieldsOf } from './documents.js'

export type Select = (document: object) => object

/** Commands that store something before they print. */
const writes = new Set(['projects create'])

type Path = readonly string[]
type Fields = Readonly<Record<string, unknown>>

/**
 * The selector of `--fields` for a command. Unknown fields are refused before the command runs, or if the service may add
 * fields, when the document is printed.
 */
export async function selectorOf(flag: string, command: string, flags: Fields = {}): Promise<Select> {
  const paths = flag
    .split(',')
    .map((field) => field.trim())
    .filter(Boolean)
    .map((field) => field.split('.'))
  const kinds = kindsOf(command, flags)
  const declared = await Promise.all(kinds.map(fieldsOf))
  const names = [...new Set(declared.flatMap(({ own }) => own))]
  if (paths.length === 0) throw new CliError(exit.usage, '--fields is empty.', { hint: hintOf(names) })
  if (kinds.length > 0 && (kinds.every(({ open }) => !open) || writes.has(command))) refuseUnknown(paths, names)
  for (const { inside } of declared) refuseUnknownInside(paths, inside)
  return (document) => {
    if (Array.isArray(document)) return selectEach(document, paths)
    const { schema, ...fields } = document as Fields
    const kind = documents[String(schema)]
    if (kind?.lines === 'summary') return document
    const selected = select(fields, kind, paths, names)
    return schema === undefined ? selected : { schema, ...selected }
  }
}

function kindsOf(command: string, flags: Fields): DocumentKind[] {
  const all = Object.values(documents).filter(({ by, lines }) => by.includes(command) && lines !== 'summary')
  const flagOf = ({ flag }: DocumentKind) => flag?.[command]
  const asked = all.filter((kind) => flags[flagOf(kind) ?? ''] !== undefined)
  return asked.length > 0 ? asked : all.filter((kind) => flagOf(kind) === undefined)
}

function select(fields: Fields, kind: DocumentKind | undefined, paths: readonly Path[], names: readonly string[]) {
  const rows = kind?.rows === undefined ? undefined : fields[kind.rows]
  const records = Array.isArray(rows) ? rows : [fields]
  refuseUnknown(paths, [...names, ...records.flatMap(namesIn)])
  if (kind?.rows === undefined || !Array.isArray(rows)) return pick(fields, paths) as Fields
  return { ...fields, [kind.rows]: pick(rows, paths) }
}

function selectEach(items: readonly unknown[], paths: readonly Path[]): object {
  if (items.length > 0) refuseUnknown(paths, items.flatMap(namesIn))
  return pick(items, paths) as object
}

const namesIn = (record: unknown): string[] => Object.keys(Object(record))

function refuseUnknown(paths: readonly Path[], fields: readonly string[]): void {
  const names = [...new Set(fields)]
  const [unknown] = paths.map(([first = '']) => first).filter((field) => !names.includes(field))
  if (unknown !== undefined) throw noField(unknown, names)
}

function refuseUnknownInside(paths: readonly Path[], inside: FieldsByPath): void {
  if (Object.keys(inside).length === 0) return
  for (const path of paths) {
    for (let at = 1; at < path.length; at++) {
      const above = path.slice(0, at).join('.')
      const names = inside[above]
      if (names === 'any') break
      if (!names) throw new CliError(exit.usage, `The field "${above}" has no fields.`)
      if (!names.includes(path[at] ?? '')) throw noField(path[at] ?? '', names, above)
    }
  }
}

function noField(unknown: string, names: readonly string[], above?: string): CliError {
  const meant = nearest(unknown, names)
  const named = (name: string) => (above === undefined ? name : `${above}.${name}`)
  const message = `Unknown field "${named(unknown)}".${meant ? ` Did you mean "${named(meant)}"?` : ''}`
  return new CliError(exit.usage, message, { hint: hintOf(names, above) })
}

const hintOf = (names: readonly string[], above?: string) =>
  names.length > 0
    ? `the fields ${above === undefined ? '' : `of ${above} `}are ${names.join(', ')}`
    : 'this command prints no JSON document'

/** A value reduced to paths. Missing fields become null, so that every row has the same fields. */
function pick(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return value ?? null
  if (Array.isArray(value)) return value.map((each) => pick(each, paths))
  if (typeof value !== 'object' || value === null) return null
  const names = [...new Set(paths.map(([first = '']) => first))]
  return Object.fromEntries(
    names.map((name) => {
      const inside = Object.hasOwn(value, name) ? (value as Fields)[name] : null
      const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
      return [name, pick(inside, below)]
    }),
  )
}
