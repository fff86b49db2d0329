import { expect, test } from 'vitest'
import { B, setUp } from './server-fixture.js'

const { server, send } = setUp()
const seeded = (name: string, fields: object) => {
  const project = server.world.createProject({ name })
  const transcript = { name: 'title word', turns: [{ role: 'user' as const, content: '' }], ...fields }
  server.world.createTranscript(project, transcript)
  return project.record.id
}
const search = async (projectId: string, query: string) => send(`${B}/projects/${projectId}/transcripts?${query}`)
const finds = async (projectId: string, query: string) => {
  const { pagination } = (await search(projectId, query)).body as { pagination: { total: number } }
  return pagination.total === 1
}

const dated = seeded('dated', {
  turns: [
    { role: 'user', content: 'Wo ist die Straße?' },
    { role: 'assistant', content: 'Links, 100% sicher.' },
  ],
  modelName: 'm-1',
  language: 'de',
  sourceSystem: 'desk',
  sourceTimestamp: '2026-03-10T23:30:00Z',
  annotations: { mood: 'calm', score: 3, note: 'a:b' },
})
const undated = seeded('undated', {})

test.each([
  ['', true],
  ['q=', true],
  ['q=strasse', true],
  ['q=STRAßE links', true],
  ['q=straße rechts', false],
  ['q=word', false],
  ['q=100%25', true],
  ['q=L*s', false],
  ['model_name=m-1', true],
  ['model_name=M-1', false],
  ['language=de&source_system=desk', true],
  ['language=de&source_system=mail', false],
  ['annotation=mood:calm', true],
  ['annotation=score:3', true],
  ['annotation=note:a:b', true],
  ['annotation=mood:cal', false],
  ['annotation=toString:x', false],
  ['date_from=2026-03-10', true],
  ['date_from=2026-03-11', false],
  ['date_to=2026-03-10', true],
  ['date_to=2026-03-09', false],
  ['date_from=2026-03-10T23:30:00Z&date_to=2026-03-10T23:30:00Z', true],
  ['date_from=2026-03-11T00:30:00%2B01:00', true],
  ['date_to=2026-03-10T00:00:00Z', false],
])('the query "%s" finds the transcript: %s', async (query, expected) => {
  expect(await finds(dated, query)).toBe(expected)
})

test('a transcript without a source timestamp is in no range', async () => {
  expect(await finds(undated, 'date_to=2099-01-01')).toBe(false)
})

test.each(['annotation=mood', 'date_from=soon', 'date_to=2026-02-30', 'date_from=2026-01-01T00:00:00+01:00'])(
  'the query "%s" is refused with 400',
  async (query) => {
    expect((await search(dated, query)).status).toBe(400)
  },
)

test.each([
  ['Straße', 'strasse', true],
  ['STRASSE', 'straße', true],
  ['STRAẞE', 'strasse', true],
  ['iPhone', 'IPHONE', true],
  ['ﬁne', 'fine', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['Ŀa ſo', 'so', true],
  ['a.b', 'a.b', true],
  ['axb', 'a.b', false],
  ['a\\b-c', '\\b-c', true],
  ['(a|b)', '(a|b)', true],
  ['ab', 'a|b', false],
  ['Is the order late?', 'asse', false],
  ['配送中', '配送', true],
  ['配 送', '配送', false],
  ['so we', 'wewell', false],
  ['5 µm', 'ΜM', true],
  ['aÿ', 'Ÿ', true],
])('a search in "%s" finds the word %s: %s', async (content, term, expected) => {
  const turns = [content, 'well'].map((each) => ({ role: 'user', content: each }))
  expect(await finds(seeded('talk', { turns }), `q=${encodeURIComponent(term)}`)).toBe(expected)
})

test('a search sees what was uploaded after the last one', async () => {
  const project = server.world.createProject({ name: 'p' })
  const add = (name: string, modelName: string) =>
    server.world.createTranscript(project, { name, modelName, turns: [{ role: 'user', content: 'hello' }] })
  const names = async () => {
    const { data } = (await search(project.record.id, 'q=HELLO&model_name=m')).body as { data: { name: string }[] }
    return data.map(({ name }) => name)
  }
  add('a', 'm')
  add('b', 'n')
  expect(await names()).toEqual(['a'])
  add('c', 'm')
  expect(await names()).toEqual(['c', 'a'])
})
