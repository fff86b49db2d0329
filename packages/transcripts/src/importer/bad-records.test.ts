import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import type { ParseOptions, Transcript } from '../index.js'
import { Importer } from './importer.js'

interface Row {
  id: string
  role: string
  text: string
}

/** The files that one row each, or several, are written to. */
const layouts: Record<
  string,
  { write(rows: readonly Row[], damage: Damage | undefined): string; options?: ParseOptions }
> = {
  csv: { write: (rows, damage) => tableOf(',', rows, damage) },
  tsv: { write: (rows, damage) => tableOf('\t', rows, damage) },
  jsonl: { write: (rows, damage) => jsonOf(rows, damage).join('\n'), options: { format: 'turns' } },
  'json array': { write: (rows, damage) => `[${jsonOf(rows, damage).join(',\n')}]`, options: { format: 'turns' } },
  'mapped jsonl': {
    write: (rows, damage) =>
      jsonOf(rows, damage, (line) =>
        line.replace('"conversation_id"', '"chat"').replace('"role"', '"who"').replace('"content"', '"msg"'),
      ).join('\n'),
    options: { format: 'dialogues', columns: { id: 'chat', role: 'who', content: 'msg' } },
  },
}

const kinds = ['role', 'type', 'cut', 'syntax', 'id'] as const
interface Damage {
  at: number
  kind: (typeof kinds)[number] | 'length'
}

/** A role that nobody knows, as long as the one it stands for. */
const unknownRole = (role: string) => 'robotmate'.slice(0, role.length)

/** A damaged row is as long as the row, so that as much waits in a window. */
function jsonOf(rows: readonly Row[], damage: Damage | undefined, rename = (line: string) => line): string[] {
  return rows.map(({ id, role, text }, at) => {
    const row = { conversation_id: id, role, content: text }
    const line = rename(JSON.stringify(row))
    if (damage?.at !== at) return line
    const texts: Record<Damage['kind'], string> = {
      role: JSON.stringify({ ...row, role: unknownRole(role) }),
      type: '5',
      cut: '{"conversation_id":nul',
      syntax: '{"content":"x",,}',
      length: '',
      id: JSON.stringify({ ...row, conversation_id: null }),
    }
    return rename(texts[damage.kind]).padEnd(line.length)
  })
}

function tableOf(separator: string, rows: readonly Row[], damage: Damage | undefined): string {
  const lines = rows.map(({ id, role, text }, at) => {
    const cells = [id, role, text]
    const line = cells.join(separator)
    if (damage?.at !== at) return line
    const texts: Record<Damage['kind'], string> = {
      role: [id, unknownRole(role), text].join(separator),
      type: [id, role, ...'x'.repeat(text.length / 2)].join(separator),
      cut: id.slice(0, 1),
      syntax: `"${id}"x${separator}${role}`,
      length: line.padEnd(2 ** 24 + 1, 'x'),
      id: [' '.repeat(id.length), role, text].join(separator),
    }
    return texts[damage.kind].padEnd(line.length)
  })
  return [['conversation_id', 'role', 'content'].join(separator), ...lines, ''].join('\n')
}

/** Conversations whose rows stand together, or interleave. */
const filesOfRows = fc
  .record({
    lengths: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 8 }),
    isInterleaved: fc.boolean(),
    order: fc.array(fc.nat(), { minLength: 32, maxLength: 32 }),
  })
  .map(({ lengths, isInterleaved, order }) => {
    const of = lengths.map((length, k) =>
      Array.from(
        { length },
        (_, at): Row => ({
          id: `k${k}`,
          role: at % 2 === 0 ? 'user' : 'assistant',
          text: `text ${at} of ${k}`,
        }),
      ),
    )
    if (!isInterleaved) return of.flat()
    const rows: Row[] = []
    for (let left = of.filter((list) => list.length > 0), step = 0; left.length > 0; step++) {
      const list = left[(order[step % order.length] ?? 0) % left.length] as Row[]
      rows.push(list.shift() as Row)
      left = left.filter((each) => each.length > 0)
    }
    return rows
  })

async function read(text: string, options: ParseOptions, maxWaiting?: number) {
  const importer = new Importer(options, maxWaiting)
  const given: Transcript[] = []
  // In parts, as a stream comes.
  for (let at = 0; at < text.length; at += 1 << 20)
    for (const some of importer.push(text.slice(at, at + (1 << 20)))) given.push(...some)
  for (const some of importer.end()) given.push(...some)
  return { given, problems: importer.problems }
}

/** Ids and turns. A window that is smaller than the file gives the conversations in another order. */
const sorted = (transcripts: readonly Transcript[]): string[] =>
  transcripts
    .map(({ externalId, turns }) => [externalId, ...turns.map(({ role, content }) => `${role}: ${content}`)].join('\n'))
    .sort()

/** The conversations of a run of rows: whether they interleave, and whether rows that follow each other share an id. */
function shapeOf(ids: readonly string[], at: number, isLost: boolean) {
  const read = ids.filter((_, index) => index !== at || !isLost)
  return {
    isInterleaved: read.some((id, index) => id !== read[index - 1] && read.slice(0, index).includes(id)),
    repeats: ids.some((id, index) => id === ids[index - 1] && index !== at && index - 1 !== at),
    begun: new Set(read),
  }
}

async function compare(name: string, rows: readonly Row[], damage: Damage, maxWaiting?: number): Promise<void> {
  const { write, options = {} } = layouts[name] as (typeof layouts)[string]
  const { at, kind } = damage
  const isLost = kind !== 'role'
  const ids = rows.map(({ id }) => id)
  const own = ids[at] as string
  const isBeside = (id: string) => id === ids[at - 1] || id === ids[at + 1]
  const { isInterleaved, repeats, begun } = shapeOf(ids, at, isLost)
  // A row that is lost between the rows of one conversation is not known to be of another one.
  fc.pre(!isLost || isInterleaved || isBeside(own))
  // Where no row repeats an id, an empty cell means the one above.
  fc.pre(kind !== 'id' || !/sv$/.test(name) || repeats || isInterleaved)
  // The first rows of a table that have no id are a conversation of their own if they are given at once.
  fc.pre(kind !== 'id' || at > 0 || maxWaiting === undefined)
  const whole = await read(write(rows, undefined), options, maxWaiting)
  fc.pre(whole.problems.length === 0)

  const { given, problems } = await read(write(rows, damage), options, maxWaiting)
  const costs = new Set(
    problems.flatMap(({ conversations }) => (conversations && !conversations.isGiven ? conversations : [])),
  )
  const rejected = new Set([...costs].flatMap((each) => each.ids))
  if (kind === 'id' && problems.length === 0) {
    // It was given, with a loss, before another row showed that the file repeats its ids.
    expect(given.flatMap(({ losses }) => losses.map(({ why }) => why))).toContain('it is joined to the row above')
    return
  }
  expect(problems.length).toBeGreaterThan(0)
  for (const id of rejected) expect(id === own || (isLost && (isInterleaved || isBeside(id)))).toBe(true)
  const others = whole.given.filter(({ externalId = '' }) => !rejected.has(externalId))
  if (kind === 'cut' && problems.some(({ hidesMore }) => hidesMore)) {
    // A text without its end hides what follows.
    const isBefore = ({ externalId = '' }: Transcript) => ids.lastIndexOf(externalId) < at
    expect(sorted(given.filter(isBefore))).toEqual(sorted(others.filter(isBefore)))
    return
  }
  if (maxWaiting !== undefined && isLost && isInterleaved) {
    // A small window gives conversations before it is seen where the lost row may belong, or what comes after: it says so.
    const late = new Set(problems.flatMap(({ conversations }) => (conversations?.isGiven ? conversations.ids : [])))
    const isWhole = ({ externalId = '' }: Transcript) => !late.has(externalId)
    if (problems.some(({ hidesMore }) => hidesMore)) return
    expect(sorted(given.filter(isWhole))).toEqual(
      sorted(others.filter((each) => begun.has(each.externalId ?? '') && isWhole(each))),
    )
  } else expect(sorted(given)).toEqual(sorted(others.filter(({ externalId = '' }) => begun.has(externalId))))
  const count = [...costs].reduce((sum, each) => sum + each.count, 0)
  expect(given.length + count).toBe(begun.size)
}

it.each(Object.keys(layouts))(
  'a bad row of %s costs its own conversation, or those beside it, and nothing else',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        filesOfRows,
        fc.nat(),
        fc.constantFrom(...kinds),
        // Windows that are smaller than the file, too.
        fc.constantFrom(undefined, 60, 300),
        (rows, nth, kind, maxWaiting) => compare(name, rows, { at: nth % rows.length, kind }, maxWaiting),
      ),
      { numRuns: runs(150) },
    )
  },
)

it.each(['csv', 'tsv'])('a row of %s that is too long costs those beside it, and nothing after it', async (name) => {
  const rows = ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'].map((id, at) => ({
    id,
    role: at % 2 === 0 ? 'user' : 'assistant',
    text: `${at}`,
  }))
  await compare(name, rows, { at: 2, kind: 'length' })
  await compare(name, rows, { at: 3, kind: 'length' }, 10)
})

it('a conversation that was given before the rows are seen to interleave may lack a lost row: the problem says so', async () => {
  const ids = ['k0', 'k1', 'k0', 'k1', 'k3', 'k2', 'k2', 'k2', 'k3']
  const rows = ids.map((id, at) => ({
    id,
    role: ids.slice(0, at).filter((each) => each === id).length % 2 === 0 ? 'user' : 'assistant',
    text: `text ${at} of ${id}`,
  }))
  const { write, options = {} } = layouts.jsonl as (typeof layouts)[string]
  const { given, problems } = await read(write(rows, { at: 1, kind: 'id' }), options, 300)
  expect(given.map(({ externalId }) => externalId)).toEqual(['k1'])
  expect(problems).toMatchObject([{ hidesMore: true, conversations: { ids: ['k0', 'k2', 'k3'] } }])
})

const good = '{"messages":[{"role":"user","content":"Hi"}]}'
const rows = 'conversation_id,role,content\n'

it.each<[name: string, text: string, hidesMore: boolean[], options?: ParseOptions]>([
  ['a line that is no JSON', `${good}\n{"messages":[,]}\n${good}\n`, [false]],
  ['a file of one value that is no JSON', '{\n"messages":[,]}', [false], { format: 'turns' }],
  ['a value after another that is no JSON', `{\n${good.slice(1)}\n{\n"messages":[,]}`, [true]],
  ['an element that is no JSON', `[${good},{"messages":[,]},${good}]`, [true]],
  ['an array that is cut off between elements', `[${good},`, [true]],
  ['a value of a wrong type', `[${good},5]`, [false]],
  ['a row with a quote at a wrong place', `${rows}a,user,Hi\n"b"x,user,Hi\na,user,Hi\n`, [false]],
  ['a row with a quote at a wrong place after a line end', `${rows}a,user,Hi\n"b\n"x,user,Hi\na,user,Hi\n`, [true]],
  ['a quote that is never closed', `${rows}a,user,Hi\nb,user,"Hi\na,user,Hi\n`, [true]],
])('%s hides other records or not, as its problem says', (_, text, hidesMore, options = {}) => {
  const importer = new Importer(options)
  for (const _some of importer.end(text));
  expect(importer.problems.map((problem) => problem.hidesMore === true)).toEqual(hidesMore)
})
