import {
  type Loss,
  type ParseOptions,
  type Problem,
  parse,
  type Transcript,
  TranscriptFileError,
  type Turn,
} from '@svc/transcripts'
import { expect, it } from 'vitest'
import { formats } from '../../../packages/transcripts/src/formats/index.js'
import { kindOf } from '../../../packages/transcripts/src/model/index.js'
import { isLong, seed } from '../../helpers/long.js'
import { caseFileOf, casesIn } from './cases.js'
import { changed, jsonLines, type Path, textsIn, valueAt } from './planted.js'

/** The short form makes one of so many changes, the long form, which test:full runs, every change of every field. */
const shortStep = 61
let turn = seed

/** True for each change in the long form, and for the next one of the short form. */
const isNext = () => isLong || turn++ % shortStep === 0

/** What a program may write in place of a field: of an object, or of an element of a list. */
const changes: Record<string, (holder: object, key: string) => unknown> = {
  rename: (holder, key) =>
    Array.isArray(holder)
      ? holder
      : Object.fromEntries(Object.entries(holder).map(([name, each]) => [name === key ? `${name}_q` : name, each])),
  'rename a column': (holder, key) => withField(holder, key, (name) => `${name}_q`),
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

/** The turn in which a text stands. */
interface Said {
  role: string
  transcript: number
  turn: number
}

interface Read {
  content: string
  losses: Map<string, number>
  skipped: readonly Problem[]
  /** The call of each result by its text, as JSON; `unmatched` if the transcript says that it has none. */
  calls: Map<string, string>
  turns: readonly Turn[]
  transcripts: readonly Transcript[]
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
    const reasons = [...counted.flatMap(({ losses: own = [] }) => own.map(({ why }) => why)), ...skipped]
    const content = JSON.stringify([
      ...transcripts.map(({ losses: _, place: __, digest: ___, ...transcript }) => transcript),
      ...reasons,
    ])
    return { content, losses, skipped, calls, turns: transcripts.flatMap(({ turns }) => turns), transcripts }
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

/** True if a loss or a skipped record says more than before. */
const saysMore = (before: Read, after: Read) =>
  after.skipped.length > before.skipped.length ||
  [...after.losses].some(([what, count]) => count > (before.losses.get(what) ?? 0))

/** True if the text is in the content, or in a text of JSON in it. */
function holds({ content }: Read, text: string): boolean {
  const inJson = JSON.stringify(text).slice(1, -1)
  return content.includes(inJson) || content.includes(JSON.stringify(inJson).slice(1, -1))
}

/** True if a loss names a field on the way to a text. */
const isNamed = ({ losses }: Read, path: Path) =>
  [...losses.keys()].some((what) => path.includes(/"(.+)"/.exec(what)?.[1] ?? ''))

/** The first turn that holds each marked text, by its mark. */
function saidIn({ transcripts }: Read): Map<string, Said> {
  const said = new Map<string, Said>()
  for (const [transcript, { turns }] of transcripts.entries())
    for (const [turn, { role, content, toolCalls, toolResults, metadata }] of turns.entries())
      for (const [mark] of JSON.stringify([content, toolCalls, toolResults, metadata]).matchAll(/ u\d+z/g))
        if (!said.has(mark)) said.set(mark, { role, transcript, turn })
  return said
}

/** What is silently other: the role of a text, or the order of two texts of one transcript. */
function otherPlace(
  before: ReadonlyMap<string, Said>,
  after: ReadonlyMap<string, Said>,
  changedAt: Path,
): 'role' | 'order' | undefined {
  // A result, or a text of the program, is told from the words of the message around it by a mark in the content.
  const isMark = changedAt.some((step) => /content|text/i.test(String(step)))
  let last: [old: Said, now: Said] | undefined
  for (const [mark, old] of before) {
    const now = after.get(mark)
    if (now === undefined) continue
    if (now.role !== old.role && !(isMark && /tool|system/.test(old.role))) return 'role'
    const isBehind = last !== undefined && last[0].transcript === old.transcript && last[0].turn < old.turn
    if (isBehind && last?.[1].transcript === now.transcript && last[1].turn > now.turn) return 'order'
    last = [old, now]
  }
  return undefined
}

interface File {
  name: string
  options: ParseOptions
  value: unknown
  before: Read
  write(value: unknown): string
  /** The changes that a program may make of what stands in an object or list. */
  kindsAt(path: Path): readonly string[]
  isJson: boolean
  /** True for a text without fields and cells. */
  isLines?: boolean
  /** The part of a text that a transcript has. */
  partOf(text: string): string
}

type Layout = Omit<File, 'name' | 'options' | 'before'>

const ofLists = ['cut', 'duplicate', 'swap']
const ofJson = {
  isJson: true,
  kindsAt: () => Object.keys(changes).filter((kind) => kind !== 'rename a column'),
  partOf: (text: string) => text,
}
/** The first row is the header. */
const kindsOfTable = (path: Path) => (path.length === 0 ? ofLists : path[0] === 0 ? ['rename a column'] : ['a number'])
const markOf = (text: string) => / u\d+z$/.exec(text)?.[0] ?? text

/** A document, lines of JSON, rows of cells, or lines of text. */
function layoutOf(text: string): Layout {
  const lines = text.split('\n').filter((line) => line !== '')
  const value = jsonOf(text)
  if (typeof value === 'object' && value !== null) return { value, write: JSON.stringify, ...ofJson }
  const records = lines.map(jsonOf)
  if (lines.length > 0 && records.every((each) => typeof each === 'object' && each !== null))
    return { value: records, write: (all) => jsonLines(all as unknown[]), ...ofJson }
  const separator = ['\t', ';', ','].find((each) => lines[0]?.includes(each))
  const cells = separator === undefined ? [] : lines.map((line) => line.split(separator))
  const isTable = cells.length > 1 && cells.every(({ length }) => length === cells[0]?.length) && !text.includes('"')
  if (separator !== undefined && isTable)
    return {
      value: cells,
      write: (rows) => (rows as string[][]).map((row) => row.join(separator)).join('\n'),
      isJson: false,
      kindsAt: kindsOfTable,
      partOf: (cell) => cell,
    }
  return {
    value: text.split('\n'),
    write: (all) => (all as string[]).join('\n'),
    isJson: false,
    isLines: true,
    kindsAt: () => ofLists,
    partOf: markOf,
  }
}

/** The case, each of its texts of several words marked as one of its own. */
function fileOf({ name, options, text }: ReturnType<typeof casesIn>[number]): File | undefined {
  const layout = layoutOf(text)
  const { value, write } = layout
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
  const isMarkable = read !== undefined && !saysMore(plain, read)
  return { ...layout, name, options, ...(isMarkable ? { value: marked, before: read } : { value, before: plain }) }
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

/** True if a result that had a call has none, or that of another result. */
function isOther(before: ReadonlyMap<string, string>, result: string, call: string): boolean {
  const own = before.get(result) ?? 'null'
  const isLost = call === 'null' && own !== 'unmatched'
  return own !== 'null' && call !== own && call !== 'unmatched' && (isLost || [...before.values()].includes(call))
}

/** The changes of a file after which something is different that nobody says. */
function silentChanges({ name, options, value, before, write, kindsAt, partOf, isLines }: File): string[] {
  const texts = new Set(
    textsIn(value)
      .map((path) => valueAt(value, path))
      .filter((text) => isMarked(text) && holds(before, partOf(text))),
  )
  const said = saidIn(before)
  const silent = (path: Path, key: string, kind: string): string | undefined => {
    const holder = valueAt(value, path) as Record<string, unknown>
    // A text that is lost with others, such as a message of another branch, is so in any form.
    if (kind.startsWith('a') && !texts.has(holder[key])) return undefined
    const other = changes[kind]?.(holder, key)
    if (other === holder) return undefined
    const all = changed(value, path, () => other)
    const after = readOf(write(all), options)
    if (!after || saysMore(before, after)) return undefined
    const gone = textsIn(all).find((at) => {
      const text = valueAt(all, at)
      return (texts.has(text) || text === marker) && !holds(after, partOf(String(text))) && !isNamed(after, at)
    })
    const isNumberGone = kind === 'a number' && !holds(after, String(number))
    const isKeyGone =
      kind === 'a key that is a text' && !holds(after, marker) && !isNamed(after, [...path, key, marker])
    const isMoved = /id$/i.test(key) && [...after.calls].some(([result, call]) => isOther(before.calls, result, call))
    // The order of a list is what it says, and so are the speakers of lines that follow their names.
    const place = kind === 'swap' || isLines ? undefined : otherPlace(said, saidIn(after), [...path, key])
    const what = gone || isNumberGone || isKeyGone ? 'text' : isMoved ? 'join' : place
    return what && `${what} ${kind} ${[...path, key].join('/')} (${name})`
  }
  return holdersIn(value).flatMap(({ holder, path }) =>
    Object.keys(holder).flatMap((key) =>
      kindsAt(path)
        .filter(isNext)
        .flatMap((kind) => silent(path, key, kind) ?? []),
    ),
  )
}

/** What nobody can know after the change. */
const unknowable = new RegExp(
  [
    // An observation without a type may be a step of the program.
    /(?:wrap|cut) observations\/\d\/type \(an export of a trace has each answer/,
    // A reused id is that of the call before, and an item has an id beside its call_id.
    /(?:wrap|cut) 3\/(?:tool_calls\/0\/id \(tool results get their name|call_id \(calls that follow each other)/,
    // Without the mark that a program wrote them, words are those of the speaker of their message.
    /^role .*(?:message\/model|synthetic_reason|author\/subtypes)/,
    // A list without roles says by its places who speaks. Two equal times do not say if the list begins with the newest.
    /^role \w+ (?:data\/\d|history.*) \((?:UltraChat|earlier questions)|^order \w+ 0\/turns|^order cut (?:data\/)?0 \(/,
    // The transcript says already that the first author counts as the customer.
    /^role cut comments\/0 \(a ticket without any word on who is who/,
    // The text stands in the call, too.
    /^role cut requests\/0\/response.* \(an answer without rounds is read as it was shown/,
    // OTLP has each value in the box of its kind; the place names the speaker of messages without a role.
    /^role .*attributes\/\d\/value.*\(each generation of the conventions/,
    // Of losses of one kind the reason is that of the first.
    /^text swap 1 \(damaged and unknown lines/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

const files = formats.map(({ id }) => ({ id, files: casesIn(caseFileOf(id)).flatMap((each) => fileOf(each) ?? []) }))
const jsonFiles = files
  .map(({ id, files }) => ({ id, files: files.filter(({ isJson }) => isJson) }))
  .filter((each) => each.files.length > 0)

it.each(files)(
  'a change of a field, line or cell of $id loses no text, role, order or join in silence',
  ({ files }) => {
    expect(files.flatMap(silentChanges).filter((change) => !unknowable.test(change))).toEqual([])
  },
)

const word = 'zebra471'

/** True for a place in which a word that the case does not have is kept: the fields of texts, names and ids. */
function isKept(file: File, path: Path): boolean {
  const old = valueAt(file.value, path)
  if (typeof old !== 'string' && typeof old !== 'number') return false
  const after = readOf(file.write(changed(file.value, path, () => word)), file.options)
  return after?.content.includes(word) === true
}

/** The steps to each value that is neither an object nor a list. */
const leavesIn = (value: unknown): Path[] =>
  holdersIn(value).flatMap(({ holder, path }) =>
    Object.entries(holder).flatMap(([key, each]) =>
      typeof each === 'object' && each !== null ? [] : [[...path, Array.isArray(holder) ? Number(key) : key]],
    ),
  )

/** What a program may write in place of a word, with the text of it. */
const retyped: Record<string, [value: unknown, text: string]> = {
  'a number': [number, String(number)],
  'a list': [[marker], marker],
  'an object': [{ remark: marker }, marker],
}

/** The words of a file that are kept, and that vanish in silence if they are of another type. */
function silentTypes(file: File): string[] {
  const { before } = file
  const inTranscripts = leavesIn(file.value)
    .filter(isNext)
    .filter((path) => isKept(file, path) && !isSkipped(file.value, before, path))
  return inTranscripts.flatMap((path) =>
    Object.entries(retyped).flatMap(([kind, [value, text]]) => {
      const after = readOf(file.write(changed(file.value, path, () => value)), file.options)
      const isSaid = !after || saysMore(before, after) || holds(after, text) || isNamed(after, path)
      return isSaid || typeof valueAt(file.value, path) === typeof value
        ? []
        : [`${kind} ${path.join('/')} (${file.name})`]
    }),
  )
}

it.each(jsonFiles)(
  'a number, list or object in the place of a word of $id that is kept does not leave in silence',
  ({ files }) => {
    expect(files.flatMap(silentTypes)).toEqual([])
  },
)

const speakers = ['role', 'sender', 'speaker', 'from']

/** LibreChat has a flag beside the name that is shown; the API of Gemini ignores the role of an instruction of the system. */
const decidedElsewhere = /\/sender: |^systemInstruction\/role/

/** The changes of the word that names the speaker of a turn after which the turns have the same roles, and nobody says so. */
function silentRoles({ name, options, value, before, write }: File): string[] {
  const rolesOf = ({ turns }: Read) =>
    turns.map(({ role, metadata }) => `${role} ${metadata?.speaker} ${metadata?.kind}`).join()
  const isList = Array.isArray(value)
  const named = before.turns.flatMap(({ role, place: { record, pointer } }): { path: Path; role: string }[] => {
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
    const paths = speakers.map((field): Path => [...(isList ? [record - 1] : []), ...steps, field])
    return role === 'tool' ? [] : paths.map((path) => ({ path, role }))
  })
  const wordAt = (path: Path) => valueIn(value, path)
  const words = named.filter(({ path }) => typeof wordAt(path) === 'string')
  const others = new Set([word, ...words.map(({ path }) => String(wordAt(path)))])
  const rolesBy = (name: unknown) => words.filter(({ path }) => wordAt(path) === name).map(({ role }) => role)
  return words.flatMap(({ path, role }) =>
    [...others].flatMap((to) => {
      if (to === wordAt(path) || rolesBy(to).includes(role) || !isNext()) return []
      const after = readOf(write(changed(value, path, () => to)), options)
      const isSaid = !after || saysMore(before, after) || rolesOf(after) !== rolesOf(before)
      return isSaid ? [] : [`${path.join('/')}: ${wordAt(path)} to ${to} (${name})`]
    }),
  )
}

const valueIn = (value: unknown, path: Path) => path.reduce<unknown>((at, step) => Object(at)[step], value)

it.each(jsonFiles)(
  'another word for the speaker of a turn of $id gives another role, a loss or a refusal',
  ({ files }) => {
    expect(files.flatMap(silentRoles).filter((change) => !decidedElsewhere.test(change))).toEqual([])
  },
)

/** The values of a file in whose place words of a person vanish in silence: ids, types, times, numbers. */
function silentWords(file: File): string[] {
  const { before } = file
  const readWith = (path: Path, change: (old: unknown) => unknown) =>
    readOf(file.write(changed(file.value, path, change)), file.options)
  const isSilent = (path: Path, change: (old: unknown) => unknown) => {
    const after = readWith(path, change)
    return after && !saysMore(before, after) && !holds(after, marker) && !isNamed(after, path)
  }
  // The words of a message that is lost as a whole, or of a repetition, are lost with it.
  const isLost = (path: Path) =>
    isSkipped(file.value, before, path) ||
    isSilent(path.slice(0, -1), (holder) =>
      Array.isArray(holder) ? [...holder, marker] : { ...Object(holder), remark_q: marker },
    ) ||
    saysMore(
      readWith(path.slice(0, -1), (holder) => changes.cut?.(Object(holder), String(path.at(-1)))) ?? before,
      before,
    )
  return leavesIn(file.value)
    .filter((path) => kindOf(String(path.findLast((step) => typeof step === 'string'))) !== 'speech')
    .filter(isNext)
    .filter((path) => isSilent(path, () => marker) && !isLost(path))
    .map((path) => `${path.join('/')}: ${valueAt(file.value, path)} (${file.name})`)
}

/** True for a step in a record that is skipped, with its reason. */
const isSkipped = (value: unknown, { skipped }: Read, path: Path) =>
  skipped.some(({ record = 0, pointer = '' }) =>
    `/${path.join('/')}/`.startsWith(`${Array.isArray(value) ? `/${record - 1}` : ''}${pointer}/`),
  )

/** Lost as a whole, which is counted: an event of Codex that an item repeats, a model call with other messages, another answer. */
const lostAsWhole =
  /(?:what several sources tell is counted|what events tell of tools|counts the answers beside)|stringValue: (?:\[?\{"(?:role|content)"|Or so)/

it.each(jsonFiles)(
  'words in the place of an id, a type or a time of $id are kept, a loss or a refusal',
  ({ files }) => {
    expect(files.flatMap(silentWords).filter((change) => !lostAsWhole.test(change))).toEqual([])
  },
)

/** The value with the fields of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, reversed(each)]),
  )
}

/** The value, and each JSON text in it, with the fields of objects in the order of their names. */
function ordered(value: unknown): unknown {
  if (typeof value === 'string') return /^[[{]/.test(value) ? ordered(jsonOf(value) ?? ` ${value}`) : value
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, each]) => [key, ordered(each)]))
}

/**
 * The transcripts, which may be in the order of the fields that hold them. Of two equal texts, of which one is read, the audit names the
 * one behind; a message in several attributes stands at the first of them.
 */
const transcriptsOf = ({ transcripts }: Read) =>
  transcripts
    .map(({ losses: _, digest: __, turns, ...facts }) =>
      JSON.stringify(ordered({ ...facts, turns: turns.map(({ place: ___, ...turn }) => turn) })),
    )
    .sort()

/** The prompt repeats a message: which of the two a generic format does not read depends on their order. */
const refusedByOrder = /^a prompt beside messages is no system prompt/

it.each(jsonFiles)('the fields of $id in another order are read as the same', ({ files }) => {
  for (const { name, value, write, options, before } of files.filter((file) => !refusedByOrder.test(file.name))) {
    const after = readOf(write(reversed(value)), options)
    expect({ name, transcripts: after && transcriptsOf(after) }).toEqual({ name, transcripts: transcriptsOf(before) })
  }
})
