import { expect, test } from 'vitest'
import { seededIds } from './ids.js'
import { World } from './world.js'

function setUp(submit?: () => boolean) {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const world = new World({ clock, ids: seededIds(), workspace: 'w', ...(submit && { submit }) })
  return { clock, world, project: world.createProject({ name: 'p' }) }
}

const upload = { name: 't', turns: [{ role: 'user' as const, content: 'hello' }] }

test('a project is new until an upload moves its count and times', () => {
  const { clock, world, project } = setUp()
  expect(project.record).toMatchObject({ transcript_count: 0, latest_transcript_at: null })
  clock.time += 1000
  world.createTranscript(project, upload)
  expect(project.record).toMatchObject({
    transcript_count: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    latest_transcript_at: '2026-01-01T00:00:01.000Z',
    updated_at: '2026-01-01T00:00:01.000Z',
  })
})

test('a record counts turns by role and tokens by bytes, and has null or {} for what was not sent', () => {
  const { world, project } = setUp()
  const turns = (['user', 'user', 'assistant', 'tool', 'human_agent'] as const).map((role) => ({
    role,
    content: 'abcde',
  }))
  expect(world.createTranscript(project, { name: 't', turns }).record).toEqual({
    id: expect.stringMatching(/^tr_/),
    name: 't',
    model_name: null,
    language: null,
    source_system: null,
    external_id: null,
    external_user_id: null,
    metadata: {},
    turn_count: 5,
    user_turn_count: 2,
    assistant_turn_count: 1,
    total_token_count: 10,
    source_timestamp: null,
    created_at: '2026-01-01T00:00:00.000Z',
    processing_status: 'queued',
  })
})

test('the status is skipped without processing, and error where the job cannot be submitted', () => {
  const { world, project } = setUp(() => false)
  expect(world.createTranscript(project, upload).record.processing_status).toBe('error')
  expect(world.createTranscript(project, { ...upload, process: false }).record.processing_status).toBe('skipped')
  world.submit = () => true
  expect(world.createTranscript(project, upload).record.processing_status).toBe('queued')
})

test('lists are newest first, also within a millisecond and after the clock was set back', () => {
  const { clock, world, project } = setUp()
  const add = () => world.createTranscript(project, upload).record.id
  const [first, second] = [add(), add()]
  clock.time -= 5000
  const older = add()
  clock.time += 9000
  const newest = add()
  expect(world.transcripts(project.record.id).map(({ record }) => record.id)).toEqual([newest, second, first, older])
})

test('a key is revoked, restored, and deleted for good', () => {
  const { world } = setUp()
  const { key } = world.createKey()
  expect(key).toMatch(/^sk-service-api03-[0-9a-f]{32}$/)
  world.revoke(key)
  expect(world.key(key)?.revoked).toBe(true)
  world.restore(key)
  expect(world.key(key)?.revoked).toBe(false)
  world.delete(key)
  expect(world.key(key)).toBeUndefined()
  expect(() => world.revoke(key)).toThrow('no such key')
})
