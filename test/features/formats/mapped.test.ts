import { type ParseOptions, parse, type Transcript, TranscriptFileError, type Turn } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { formatNamed, formats } from '../../../packages/transcripts/src/formats/index.js'
import { isLong } from '../../helpers/long.js'
import { caseFileOf, casesIn } from './cases.js'
import { changed, jsonLines, type Path } from './planted.js'

/** The long form, which test:full runs: each field in each case, instead of a third of them in turn. */

interface File {
  name: string
  options: ParseOptions
  records: unknown[]
}

/** The cases of a format that are JSON, as records. */
function filesOf(id: string): File[] {
  return casesIn(caseFileOf(id)).flatMap(({ name, options, text }) => {
    const lines = text.split('\n').filter((line) => line !== '')
    const records = jsonOf(`[${text}]`) ?? jsonOf(`[${lines.join()}]`)
    return Array.isArray(records) ? [{ name, options, records }] : []
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function read({ options, records }: File, columns?: Record<string, string>) {
  try {
    return parse(jsonLines(records), { ...options, columns: { ...options.columns, ...columns } })
  } catch (error) {
    if (error instanceof TranscriptFileError) return error.message
    throw error
  }
}

/** The records with a field in each object that is the message of a turn. */
function withField(
  records: unknown[],
  places: readonly Transcript['place'][],
  field: string,
  value: unknown,
): unknown[] {
  return places.reduce<unknown[]>((all, { record, pointer }) => {
    const steps = pointer.split('/').slice(1)
    const path: Path = [record - 1, ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))]
    const isObjectAt = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
    const at = path.reduce<unknown>((value, step) => Object(value)[step], all)
    if (!isObjectAt(at)) return all
    return changed(all, path, (old) => ({ ...(old as object), [field]: value })) as unknown[]
  }, records)
}

const ofJson = formats.filter(({ id }) => !formatNamed(id).isText && id !== 'table').map(({ id }) => id)
const moment = '2026-02-03T04:05:06.000Z'

/** A mapped field of a message or of a record, with a value that no case has, and true if a transcript has it. */
interface Mapped {
  field: string
  value: unknown
  isOfMessage: boolean
  has(transcript: Transcript, before: readonly Transcript[], after: readonly Transcript[]): boolean
}

const mapped: readonly Mapped[] = [
  {
    field: 'time',
    value: moment,
    isOfMessage: true,
    has: ({ turns }) => turns.some((each) => each.createdAt === moment),
  },
  { field: 'model', value: 'm-471', isOfMessage: true, has: (each) => modelsOf(each).includes('m-471') },
  {
    field: 'visible',
    value: false,
    isOfMessage: true,
    has: (_, before, after) => shownIn(after) < (shownIn(before) || 1),
  },
  { field: 'time', value: moment, isOfMessage: false, has: ({ sourceTimestamp }) => sourceTimestamp === moment },
  { field: 'model', value: 'm-471', isOfMessage: false, has: (each) => modelsOf(each).includes('m-471') },
  { field: 'name', value: 'n-471', isOfMessage: false, has: ({ name }) => name === 'n-471' },
  { field: 'user_id', value: 471, isOfMessage: false, has: ({ externalUserId }) => externalUserId === '471' },
  { field: 'id', value: 471, isOfMessage: false, has: ({ externalId = '' }) => /^471\b/.test(externalId) },
]

const shownIn = (all: readonly Transcript[]) =>
  all.flatMap(({ turns }) => turns.filter(({ visible }) => visible)).length
const modelsOf = ({ modelName, metadata }: Transcript) => [modelName, metadata?.models].flat()

/** What a problem says to do instead. */
const instead =
  /--map .*(?:--format dialogues|role:Ann)|with the id of the conversation|in a record, found none|This is a part of/

it.each(ofJson)(
  'each mapped field of a message or record of %s is read, or the problem says what to do instead',
  (id) => {
    const tries = filesOf(id).flatMap((file) => mapped.map((each) => [file, each] as const))
    for (const [file, { field, value, isOfMessage, has }] of tries.filter((_, turn) => isLong || turn % 3 === 0)) {
      const before = read(file)
      // An export of another program is read by its own format.
      if (typeof before === 'string' || before.format !== id) continue
      const turns = before.transcripts.flatMap((each) => each.turns)
      const isOf = { model: ({ role }: Turn) => role === 'assistant', visible: ({ visible }: Turn) => visible }[field]
      const places = turns.filter(isOf ?? (() => true)).map(({ place }) => place)
      // Records that are messages are no conversations.
      const areMessages = turns.some(({ place }) => place.pointer === '')
      const ofRecords = areMessages ? [] : file.records.map((_, at) => ({ record: at + 1, offset: 0, pointer: '' }))
      const records = withField(file.records, isOfMessage ? places : ofRecords, 'f_471', value)
      if (JSON.stringify(records) === JSON.stringify(file.records)) continue
      const after = read({ ...file, records }, { [field]: 'f_471' })
      const all = typeof after === 'string' ? [] : after.transcripts
      const said = typeof after === 'string' ? after : all.flatMap(({ losses }) => losses.map(({ why }) => why)).join()
      if (!all.some((each) => has(each, before.transcripts, all)))
        expect(said, `${file.name}: ${field}`).toMatch(instead)
    }
  },
)
