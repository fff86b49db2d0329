import { expect, test } from 'vitest'
import { B, type Json, setUp } from '../../test/fixtures/server.js'

const upload = {
  name: 't',
  turns: [
    { role: 'user', content: 'Where is order 7? This is ridiculous.' },
    { role: 'assistant', content: 'I will look.' },
    { role: 'user', content: 'And?' },
  ],
}

function world(options: Parameters<typeof setUp>[0] = {}) {
  const made = setUp(options)
  const projectId = made.newProject()
  const path = `${B}/projects/${projectId}/transcripts`
  const store = async (body: object = upload) => (await made.send(path, { body })).body.data as { id: string }
  const annotations = async (id: string) =>
    ((await made.send(`${B}/transcripts/${id}`)).body.data as Json).annotations as Json
  const totalOf = async (annotation: string) =>
    ((await made.send(`${path}?annotation=${annotation}`)).body.pagination as { total: number }).total
  return { ...made, store, annotations, totalOf }
}

test('replaces the rule-based model by a given one, and runs patterns after it', async () => {
  let answer = (_: Json) => {}
  const { clock, store, annotations } = world({
    pipeline: { afterMs: 1000, model: () => new Promise((resolve) => (answer = resolve)) },
  })
  const { id } = await store()
  clock.time += 10_000
  expect(Object.keys(await annotations(id))).toEqual(['structure', 'unanswered_user_turn', 'signals'])
  answer({ mood: 'cross', outcome: 'critical' })
  await new Promise(setImmediate)
  expect(await annotations(id)).toMatchObject({ mood: 'cross', outcome: 'critical' })
  expect(await annotations(id)).not.toHaveProperty('title')
  expect(await annotations(id)).not.toHaveProperty('patterns')
  clock.time += 1000
  expect(await annotations(id)).toHaveProperty('patterns')
})

test('judges the tool calls and results of a turn without text', async () => {
  const { store, annotations } = world()
  const answered = (result: unknown) => [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: '', toolCalls: [{ name: 'find', args: { order: 7 } }] },
    { role: 'tool', content: '', toolResults: [{ name: 'find', result }] },
    { role: 'assistant', content: 'It is at the depot.' },
  ]
  const failed = await store({ name: 't', turns: answered({ error: 'timeout' }) })
  expect(await annotations(failed.id)).toMatchObject({ structure: 'poor', tool_error: true })
  const found = await store({ name: 't', turns: answered({ place: 'depot' }) })
  expect(await annotations(found.id)).toMatchObject({ structure: 'strong', signals: {} })
  const unanswered = await store({ name: 't', turns: answered('depot').toSpliced(2, 1) })
  expect(await annotations(unanswered.id)).toHaveProperty('unanswered_tool_call')
})

test('one list shows the annotations of one time, while the clock advances between two transcripts', async () => {
  const { clock, store, totalOf } = world({ pipeline: { afterMs: 1000 } })
  await store()
  await store()
  const storedAt = clock.time
  // Each reading of the clock is a millisecond later.
  clock.now = () => clock.time++
  const totals = new Set<number>()
  for (let ms = 990; ms <= 1000; ms++) {
    clock.time = storedAt + ms
    totals.add(await totalOf('structure:poor'))
  }
  expect([...totals]).toEqual([0, 2])
})

test('drops the result of a model after a reset', async () => {
  const { server, store } = world({ pipeline: { model: async () => ({ late: true }) } })
  await store()
  server.reset()
  await new Promise(setImmediate)
  expect([...server.world.allTranscripts()]).toEqual([])
})

test("uses the annotations of a seed in place of the pipeline's", async () => {
  const { server, send } = world()
  const project = server.world.createProject({ name: 'p' })
  const turns = [{ role: 'user' as const, content: 'Hi' }]
  const { record } = server.world.createTranscript(project, { name: 't', turns, annotations: { mood: 'calm' } })
  expect((await send(`${B}/transcripts/${record.id}`)).body.data).toMatchObject({ annotations: { mood: 'calm' } })
})

test.each([
  ['a number that JSON has not', { a: 1n }],
  ['an array', ['a']],
  ['nothing', undefined],
  [
    'a getter that throws',
    {
      get a() {
        throw new Error('no')
      },
    },
  ],
])('a model that gives %s has failed, and the transcript can be read', async (_, given) => {
  const errors: unknown[] = []
  const { store, annotations } = world({
    onError: (error) => errors.push(error),
    pipeline: { model: () => given as unknown as Json },
  })
  const { id } = await store()
  await new Promise(setImmediate)
  expect(errors).toHaveLength(1)
  expect(Object.keys(await annotations(id))).toEqual(expect.arrayContaining(['structure', 'patterns']))
})

test('finds the annotations that a read shows', async () => {
  const { server, store, totalOf, annotations, clock } = world({
    pipeline: {
      afterMs: 1000,
      model: () => ({ mood: 'cross', user_frustration: 'very', refusal: 'none', structure: 'loose' }),
    },
  })
  const { id } = await store()
  await new Promise(setImmediate)
  const finds = async (...keys: string[]) => Promise.all(keys.map((key) => totalOf(key)))
  clock.time += 1000
  expect(await finds('structure:poor', 'structure:loose', 'mood:cross')).toEqual([1, 0, 0])
  clock.time += 1000
  expect(await finds('structure:poor', 'structure:loose', 'mood:cross', 'user_frustration:very')).toEqual([0, 1, 1, 1])
  clock.time += 1000
  // A pattern goes over the model where it fires, and leaves it where it does not; what a person says goes over both.
  expect(await finds('user_frustration:very', 'user_frustration:true', 'refusal:none', 'mood:cross')).toEqual([
    0, 1, 1, 1,
  ])
  const transcript = server.world.transcript(id)
  if (transcript) server.world.annotate(transcript, { mood: 'calm', user_frustration: false, signals: 'many' })
  expect(await finds('mood:cross', 'mood:calm', 'user_frustration:false', 'user_frustration:true')).toEqual([
    0, 1, 1, 0,
  ])
  expect(await finds('signals:many', 'title:x')).toEqual([0, 0])
  expect(await annotations(id)).toMatchObject({
    mood: 'calm',
    user_frustration: false,
    refusal: 'none',
    structure: 'loose',
  })
})
