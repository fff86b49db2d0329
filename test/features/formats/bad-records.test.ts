import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const annotator = ['--annotator', 'structural']
const header = 'conversation_id,role,content'

/** Three rows of a conversation; of a poor one the user gets no answer at the end. */
const rowsOf = (id: string, isPoor: boolean, speaker = 'assistant') => [
  `${id},user,Where is ${id}?`,
  `${id},${speaker},It is on its way.`,
  ...(isPoor ? [`${id},user,No answer! Hello?`] : []),
]

/** Sixty conversations, of which the first fifteen are poor; nobody knows the role of one speaker in the middle. */
const sixty = (speaker: string) =>
  `${[header, ...Array.from({ length: 60 }, (_, k) => rowsOf(`k${k + 1}`, k < 15, k === 29 ? speaker : 'assistant')).flat()].join('\n')}\n`

const rejectsIn = (cwd: string) =>
  readFileSync(join(cwd, 'rejects.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

it('a row with an unknown role costs its own conversation: the gate judges the others and fails', async () => {
  const { svc } = createShell()
  const check = async (file: string) => {
    const { code, out } = await svc(['check', file, ...annotator, '--min-judged', '95%', '--json'])
    const { total, judged, results } = JSON.parse(out)
    return { code, total, judged, failed: results.failed }
  }
  await svc(['--version'], { files: { 'good.csv': sixty('assistant'), 'bad.csv': sixty('robo-7') } })
  const whole = await check('good.csv')
  expect(whole).toMatchObject({ code: 100, total: 60, judged: 60 })
  expect(await check('bad.csv')).toEqual({ code: 100, total: 60, judged: 59, failed: whole.failed })
})

it('a rejected conversation is written with all of its rows, and stored whole once it is corrected', async () => {
  const { svc, cwd, server, project } = createShell()
  const upload = ['upload', 'bad.csv', '--continue-on-invalid', '--rejects', 'rejects.jsonl', '--json']
  const first = await svc(upload, { files: { 'bad.csv': sixty('robo-7') } })
  expect([first.code, first.lines().at(-1)]).toMatchObject([8, { uploaded: 59, invalid: 1 }])
  expect(first.err).toContain('Map it: --map "role:robo-7=assistant"')
  const rejects = rejectsIn(cwd)
  expect(rejects).toMatchObject([{ ids: ['k30'], rows: [header, ...rowsOf('k30', false, 'robo-7')] }])

  const retry = ['upload', 'rejects.jsonl', '--retry-rejects', '--json']
  expect((await svc(retry)).code).toBe(3)
  expect(server.world.transcripts(project)).toHaveLength(59)
  writeFileSync(join(cwd, 'rejects.jsonl'), JSON.stringify(rejects[0]).replaceAll('robo-7', 'assistant'))
  expect((await svc(retry)).json()).toMatchObject({ result: 'uploaded' })
  const stored = server.world.transcripts(project).filter(({ record }) => record.external_id === 'k30')
  expect(stored.map(({ record }) => [record.turn_count, record.name])).toEqual([[2, 'bad']])
})

it.each([
  ['a broken line', '{"chat":"c","who":"cus'],
  ['a value of another type', '5'],
  ['a row without an id', '{"who":"customer","msg":"C1?"}'],
])('%s between two conversations costs both, in convert, upload and check', async (_, bad) => {
  const row = (chat: string, who: string, msg: string) => JSON.stringify({ chat, who, msg })
  const talk = (chat: string) => [row(chat, 'customer', `${chat} 1?`), row(chat, 'bot', `${chat} 2.`)]
  const lines = [...talk('a'), ...talk('b'), bad, ...talk('c'), ...talk('d')]
  const { svc, cwd, server, project } = createShell()
  const map = ['--map', 'id=chat', '--map', 'role=who', '--map', 'content=msg']
  const files = { 'rows.jsonl': `${lines.join('\n')}\n` }
  const converted = await svc(['convert', 'rows.jsonl', '--to', 'upload', ...map], { files })
  expect(converted).toMatchObject({ code: 3, err: expect.stringContaining('conversation "b" or conversation "c"') })
  const rejecting = ['--continue-on-invalid', '--rejects', 'rejects.jsonl', '--json']
  const uploaded = await svc(['upload', 'rows.jsonl', ...map, ...rejecting])
  expect([uploaded.code, uploaded.lines().at(-1)]).toMatchObject([8, { uploaded: 2, invalid: 2 }])
  const { code, out } = await svc(['check', 'rows.jsonl', ...map, ...annotator, '--json'])
  const { cases, ...report } = JSON.parse(out)
  expect([code, report]).toMatchObject([101, { total: 4, judged: 2 }])
  const unread = cases.filter(({ gap }: { gap: unknown }) => gap !== null)
  expect(unread.map(({ part }: { part: number }) => part)).toEqual([1, 2])

  const [reject] = rejectsIn(cwd) as [{ ids: string[]; rows: unknown[] }]
  expect([reject.ids, reject.rows.length]).toEqual([['b', 'c'], 5])
  const corrected = { ...reject, rows: reject.rows.toSpliced(2, 1, JSON.parse(row('b', 'customer', 'b 3?'))) }
  writeFileSync(join(cwd, 'rejects.jsonl'), JSON.stringify(corrected))
  const retried = await svc(['upload', 'rejects.jsonl', '--retry-rejects', ...map, '--json'])
  expect(retried.lines().at(-1)).toMatchObject({ uploaded: 2, invalid: 0 })
  const counts = server.world.transcripts(project).map(({ record }) => [record.external_id, record.turn_count])
  expect(Object.fromEntries(counts)).toEqual({ a: 2, b: 3, c: 2, d: 2 })
})

it('a file that may hold more conversations than were read never passes, whatever share must be judged', async () => {
  const { svc } = createShell()
  const calm = (id: string) =>
    JSON.stringify({
      name: id,
      turns: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ],
    })
  const cut = `[${Array.from({ length: 40 }, (_, k) => calm(`c${k}`)).join(',\n')},\n{"name":"c40"`
  const check = ['check', 'cut.json', ...annotator, '--min-judged', '10%', '--json']
  const { code, out } = await svc(check, { files: { 'cut.json': cut } })
  expect([code, JSON.parse(out)]).toMatchObject([101, { total: 41, judged: 40 }])
})

it('a row that comes after its conversation was sent is a problem that names what is stored', async () => {
  const { svc, server, project } = createShell()
  const row = (id: string, role: string, content: string) =>
    `${JSON.stringify({ conversation_id: id, role, content })}\n`
  const filler = 'x'.repeat(1 << 16)
  async function* rows() {
    yield row('first', 'user', 'Hi') + row('first', 'assistant', 'Hello.')
    // More than the rows that wait for others of their conversations.
    for (let k = 0; k < 80; k++) yield row(`k${k}`, 'user', filler) + row(`k${k}`, 'assistant', 'Yes.')
    yield row('first', 'user', 'One more thing.')
  }
  const { code, err, lines } = await svc(['upload', '-', '--json', '--continue-on-invalid'], { stdin: rows() })
  expect([code, lines().at(-1)]).toMatchObject([8, { uploaded: 81, invalid: 1 }])
  const stored = server.world.transcripts(project).find(({ record }) => record.external_id === 'first')
  expect(stored?.record.turn_count).toBe(2)
  expect(err).toContain(`it is stored as ${stored?.record.id}, without this row`)

  const text = [row('first', 'user', 'Hi'), row('first', 'assistant', 'Hello.')]
  for (let k = 0; k < 80; k++) text.push(row(`k${k}`, 'user', filler), row(`k${k}`, 'assistant', 'Yes.'))
  text.push(row('first', 'user', 'One more thing.'))
  const checked = await svc(['check', 'rows.jsonl', ...annotator, '--json'], { files: { 'rows.jsonl': text.join('') } })
  expect([checked.code, JSON.parse(checked.out)]).toMatchObject([101, { total: 81, judged: 80 }])
})

it('--map "role:*=ROLE" is the role of every speaker without a usual name, in tables and in JSON rows', async () => {
  const { svc } = createShell()
  const files = {
    'rows.csv': `${header}\nk1,Ada,Hi\nk1,bot,Hello.\nk1,Max,Me too.\n`,
    'rows.jsonl': ['Ada', 'bot', 'Max']
      .map((role) => `${JSON.stringify({ conversation_id: 'k1', role, content: role })}\n`)
      .join(''),
  }
  for (const [file, map] of [
    ['rows.csv', []],
    ['rows.jsonl', ['--map', 'content=content']],
  ] as const) {
    const roles = await svc(['convert', file, '--to', 'upload', '--map', 'role:*=user', ...map], { files })
    expect(roles.code).toBe(0)
    expect((JSON.parse(roles.out) as { turns: { role: string }[] }).turns.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
  }
})
