import { type Loss, type ParseOptions, type Problem, parse, TranscriptFileError, type Turn } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { formats } from '../../../packages/transcripts/src/formats/index.js'
import { kindOf } from '../../../packages/transcripts/src/model/index.js'
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
  skipped: readonly Problem[]
  /** The call of each result by its text, as JSON; `unmatched` if the transcript says that it has none. */
  calls: Map<string, string>
  turns: readonly Turn[]
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
    return { content, losses, skipped, calls, turns: transcripts.flatMap(({ turns }) => turns) }
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

const word = 'zebra471'

/** The places in which a word that the case does not have is kept: the fields of texts, names and ids. */
const kept = (file: File): Path[] =>
  leavesIn(file.value).filter((path) => {
    const old = valueAt(file.value, path)
    if (typeof old !== 'string' && typeof old !== 'number') return false
    const after = readOf(file.write(changed(file.value, path, () => word)), file.options)
    return after?.content.includes(word)
  })

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
  const before = readOf(file.write(file.value), file.options)
  if (!before) return []
  const inTranscripts = kept(file).filter((path) => !isSkipped(file.value, before, path))
  return inTranscripts.flatMap((path) =>
    Object.entries(retyped)
      .filter(() => isLong || turn++ % shortStep === 0)
      .flatMap(([kind, [value, text]]) => {
        const after = readOf(file.write(changed(file.value, path, () => value)), file.options)
        const isSaid = !after || saysMore(before, after) || holds(after, text) || isNamed(after, path)
        return isSaid || typeof valueAt(file.value, path) === typeof value
          ? []
          : [`${kind} ${path.join('/')} (${file.name})`]
      }),
  )
}

/**
 * What the engines do not say: an id that is no text, by which a log is known or its lines are joined, the link of a help desk, a fact
 * that a later line replaces, a number as an attribute of a span, as the input of a run, as a role in it, or in a replay of Copilot.
 */
const ofEngines =
  /a number (?:\d\/)?(?:sessionId|traceId|original_input)|a number .*input.*\/role|a number prompts\/0\/logs|(?:session_id|related\/conversation|\d\/model|payload\/model|response\/(?:id|model)|a list id|an object id) \(|stringValue|0\/status|m1\/message\/content\/parts\/0/

it.each(files)(
  'a number, list or object in the place of a word of $id that is kept does not leave in silence',
  ({ files }) => {
    expect(files.flatMap(silentTypes).filter((change) => !ofEngines.test(change))).toEqual([])
  },
)

const speakers = ['role', 'sender', 'speaker', 'from']

/** Another field decides: a flag beside the name of a sender or of a program, the side of a call, the result of a program. */
const decidedElsewhere =
  /\/sender: |data\/1\/from: operator|chunks\/1\/role|(?:output\/0|runs\/1|^message).*role: assistant|output\/messages\/0\/role|systemInstruction|the parts of a stream are one answer|input.*\/0\/role: system/

/** The changes of the word that names the speaker of a turn after which the turns have the same roles, and nobody says so. */
function silentRoles({ name, options, value, write }: File): string[] {
  const before = readOf(write(value), options)
  if (!before) return []
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
      if (to === wordAt(path) || rolesBy(to).includes(role)) return []
      const after = readOf(write(changed(value, path, () => to)), options)
      const isSaid = !after || saysMore(before, after) || rolesOf(after) !== rolesOf(before)
      return isSaid ? [] : [`${path.join('/')}: ${wordAt(path)} to ${to} (${name})`]
    }),
  )
}

const valueIn = (value: unknown, path: Path) => path.reduce<unknown>((at, step) => Object(at)[step], value)

it.each(files)('another word for the speaker of a turn of $id gives another role, a loss or a refusal', ({ files }) => {
  expect(files.flatMap(silentRoles).filter((change) => !decidedElsewhere.test(change))).toEqual([])
})

/** The values of a file in whose place words of a person vanish in silence: ids, types, times, numbers. */
function silentWords(file: File): string[] {
  const before = readOf(file.write(file.value), file.options)
  if (!before) return []
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
    .filter(() => isLong || turn++ % shortStep === 0)
    .filter((path) => isSilent(path, () => marker) && !isLost(path))
    .map((path) => `${path.join('/')}: ${valueAt(file.value, path)} (${file.name})`)
}

/** True for a step in a record that is skipped, with its reason. */
const isSkipped = (value: unknown, { skipped }: Read, path: Path) =>
  skipped.some(({ record = 0, pointer = '' }) =>
    `/${path.join('/')}/`.startsWith(`${Array.isArray(value) ? `/${record - 1}` : ''}${pointer}/`),
  )

/** Lost as a whole: an event of Codex that an item repeats, a line that is written again, a model call with other messages. */
const lostAsWhole =
  /(?:what several sources tell is counted|what events tell of tools|lines that are written again|counts the answers beside)|stringValue: (?:\[\{"role"|\{"content")/

it.each(files)('words in the place of an id, a type or a time of $id are kept, a loss or a refusal', ({ files }) => {
  expect(files.flatMap(silentWords).filter((change) => !lostAsWhole.test(change))).toEqual([])
})
