import { type Loss, type ParseOptions, parse, TranscriptFileError } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { formats } from '../../../packages/transcripts/src/formats/index.js'
import { isLong } from '../../helpers/long.js'
import { caseFileOf, casesIn } from './cases.js'
import { changed, jsonLines, type Path, textsIn } from './sentinel.js'

/** The long form, which test:full runs: every change of every field. */

/** The short form makes one of so many changes. */
const shortStep = 41

/** What a program may write in place of a field: of an object, or of an element of a list. */
const changes: Record<string, (holder: object, key: string) => unknown> = {
  rename: (holder, key) =>
    Array.isArray(holder)
      ? holder
      : Object.fromEntries(Object.entries(holder).map(([name, each]) => [name === key ? `${name}_q` : name, each])),
  nest: (holder, key) => withField(holder, key, (old) => ({ inner: old })),
  wrap: (holder, key) => withField(holder, key, (old) => [old]),
  cut: (holder, key) =>
    Array.isArray(holder)
      ? holder.toSpliced(Number(key), 1)
      : Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key)),
  duplicate: (holder, key) =>
    Array.isArray(holder)
      ? holder.toSpliced(Number(key), 0, holder[Number(key)])
      : { ...holder, [`${key}_q`]: (holder as Record<string, unknown>)[key] },
  swap: (holder, key) =>
    Array.isArray(holder)
      ? holder.toSpliced(Number(key), 2, ...holder.slice(Number(key), Number(key) + 2).reverse())
      : holder,
  'a number': (holder, key) => withText(holder, key, number),
  'a list of a text': (holder, key) => withText(holder, key, [marker]),
  'an object with a text': (holder, key) => withText(holder, key, { remark: marker }),
  'a key that is a text': (holder, key) => withText(holder, key, { [marker]: 5 }),
}

const marker = 'Kennwort 4711 steht am Tor'
const number = 471108150815

function withField(holder: object, key: string, change: (old: unknown) => unknown): unknown {
  return changed(holder, [Array.isArray(holder) ? Number(key) : key], change)
}

const withText = (holder: object, key: string, value: unknown) =>
  withField(holder, key, (old) => (isMarked(old) ? value : old))

const isMarked = (value: unknown): value is string => typeof value === 'string' && / u\d+z$/.test(value)

interface Read {
  content: string
  losses: Map<string, number>
  skipped: number
  /** The call of each result by its text, as JSON; `unmatched` if the transcript says that it has none. */
  calls: Map<string, string>
}

/** All that is read of a file; undefined if it is refused. */
function readOf(text: string, options: ParseOptions): Read | undefined {
  try {
    const { transcripts, skipped } = parse(text, { thinking: true, branches: true, subagents: true, ...options })
    const losses = new Map<string, number>()
    const counted: readonly { losses?: readonly Loss[] }[] = [...transcripts, ...skipped]
    for (const { code, what, count } of counted.flatMap(({ losses: own = [] }) => own))
      losses.set(`${code} ${what}`, (losses.get(`${code} ${what}`) ?? 0) + count)
    const calls = new Map<string, string>()
    for (const { turns } of transcripts) {
      const byId = new Map(
        turns.flatMap(({ callIds = [], toolCalls = [] }) => callIds.map((id, at) => [id, toolCalls[at]])),
      )
      for (const { content, resultIds: [id] = [], role, metadata } of turns) {
        if (role === 'tool')
          calls.set(content, metadata?.unmatched ? 'unmatched' : JSON.stringify(byId.get(id ?? '') ?? null))
      }
    }
    const content = JSON.stringify(
      transcripts.map(({ losses: _, place: __, digest: ___, ...transcript }) => transcript),
    )
    return { content, losses, skipped: skipped.length, calls }
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

/** True if a loss or a skipped record says more than before. */
const saysMore = (before: Read, after: Read) =>
  after.skipped > before.skipped || [...after.losses].some(([what, count]) => count > (before.losses.get(what) ?? 0))

/** True if the text is in the content, or in a text of JSON in it. */
function holds({ content }: Read, text: string): boolean {
  const inJson = JSON.stringify(text).slice(1, -1)
  return content.includes(inJson) || content.includes(JSON.stringify(inJson).slice(1, -1))
}

/** True if a loss names a field on the way to a text. */
const isNamed = ({ losses }: Read, path: Path) =>
  [...losses.keys()].some((what) => path.includes(/"(.+)"/.exec(what)?.[1] ?? ''))

interface File {
  name: string
  options: ParseOptions
  value: unknown
  write(value: unknown): string
}

/** The case as JSON, each of its texts of several words marked as one of its own. */
function fileOf({ name, options, text }: ReturnType<typeof casesIn>[number]): File | undefined {
  const lines = text.split('\n').filter((line) => line !== '')
  const asJson = jsonOf(text)
  const records = asJson === undefined ? lines.map(jsonOf) : undefined
  const value = asJson ?? records
  if (typeof value !== 'object' || value === null || records?.includes(undefined)) return undefined
  const write = records ? (all: unknown) => jsonLines(all as unknown[]) : JSON.stringify
  let count = 0
  const marked = textsIn(value).reduce<unknown>(
    (all, path) =>
      changed(all, path, (old) =>
        /\s/.test(String(old)) && !/[[{<|]/.test(String(old)) ? `${old} u${++count}z` : old,
      ),
    value,
  )
  const [plain, read] = [value, marked].map((each) => readOf(write(each), options))
  if (!plain) return undefined
  return { name, options, write, value: read && !saysMore(plain, read) ? marked : value }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Each object and list of a value, with the steps to it. */
function holdersIn(value: unknown, path: Path = []): { holder: object; path: Path }[] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [{ holder: value, path }, ...entries.flatMap(([key, each]) => holdersIn(each, [...path, key]))]
}

/** True if a result that had a call has none, or one of another result. */
function isOther(before: ReadonlyMap<string, string>, result: string, call: string): boolean {
  const own = before.get(result) ?? 'null'
  return (
    own !== 'null' && call !== own && (call === 'null' || [...before.values()].includes(call)) && call !== 'unmatched'
  )
}

let turn = 0

/** The changes of a file after which something is different that nobody says. */
function silentChanges({ name, options, value, write }: File): string[] {
  const before = readOf(write(value), options)
  if (!before) return []
  const texts = new Set(
    textsIn(value)
      .map((path) => valueAt(value, path))
      .filter((text) => isMarked(text) && holds(before, text)),
  )
  const silent = (path: Path, key: string, kind: string): string | undefined => {
    const change = changes[kind]
    const old = (valueAt(value, path) as Record<string, unknown>)[key]
    // A text that is lost with others, such as a message of another branch, is so in any form.
    if (kind.startsWith('a') && !texts.has(old)) return undefined
    const all = changed(value, path, (holder) => change?.(holder as object, key))
    const after = readOf(write(all), options)
    if (!after || saysMore(before, after)) return undefined
    const gone = textsIn(all).find((at) => {
      const text = valueAt(all, at)
      return (texts.has(text) || text === marker) && !holds(after, String(text)) && !isNamed(after, at)
    })
    const isNumberGone = kind === 'a number' && !holds(after, String(number))
    const isMoved =
      kind !== 'cut' &&
      /id$/i.test(key) &&
      [...after.calls].some(([result, call]) => isOther(before.calls, result, call))
    const where = `${kind} ${[...path, key].join('/')} (${name})`
    const isKeyGone =
      kind === 'a key that is a text' && !holds(after, marker) && !isNamed(after, [...path, key, marker])
    return gone || isNumberGone || isKeyGone ? `text ${where}` : isMoved ? `join ${where}` : undefined
  }
  return holdersIn(value).flatMap(({ holder, path }) =>
    Object.keys(holder).flatMap((key) =>
      Object.keys(changes)
        .filter(() => isLong || turn++ % shortStep === 0)
        .flatMap((kind) => silent(path, key, kind) ?? []),
    ),
  )
}

function valueAt(value: unknown, path: Path): unknown {
  let found: unknown
  changed(value, path, (old) => {
    found = old
    return old
  })
  return found
}

/** What cannot be known: an observation without a type may be a step of the program; a reused id is that of the call before. */
const unknowable =
  /(?:wrap|cut) observations\/\d\/type \(an export of a trace has each answer|wrap 3\/tool_calls\/0\/id \(tool results get their name/

const files = formats
  .map(({ id }) => ({ id, files: casesIn(caseFileOf(id)).flatMap((each) => fileOf(each) ?? []) }))
  .filter((each) => each.files.length > 0)

it.each(files)('after any change of a field of $id, no text leaves and no result moves in silence', ({ files }) => {
  expect(files.flatMap(silentChanges).filter((change) => !unknowable.test(change))).toEqual([])
})
