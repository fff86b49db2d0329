import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { createShell } from '../../helpers/run-cli.js'

const at = (second: number) => `2025-12-02T10:00:${String(second).padStart(2, '0')}.000Z`

const idOf = (number: number) => `aaaaaaaa-${number}`

/** An event in which the user or the agent says a text. */
const said = (number: number, source: 'user' | 'agent', text: string) => ({
  kind: 'MessageEvent',
  id: idOf(number),
  ...(number > 0 && { parent_id: idOf(number - 1) }),
  timestamp: at(number),
  source,
  llm_message: { role: source === 'user' ? 'user' : 'assistant', content: [{ type: 'text', text }] },
})

const state = {
  id: 'c-1',
  agent: { kind: 'Agent', llm: { model: 'm-1' } },
  workspace: { working_dir: '/app' },
  max_iterations: 9,
}
const texts = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']
const events = texts.map((text, index) => said(index, index % 2 === 0 ? 'user' : 'agent', text))
const turns = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }))

/** The files of a conversation, the names of whose events a function gives. */
const filesOf = (first: string, record: object, nameOf: (index: number) => string) => ({
  [first]: record,
  ...Object.fromEntries(events.map((event, index) => [nameOf(index), event])),
})

const folder = 'openhands/conversations/c-1'
const stored = filesOf(
  `${folder}/base_state.json`,
  state,
  (index) => `${folder}/events/event-0000${index}-aaaa-${index}.json`,
)

describe('the files of a conversation of OpenHands', () => {
  it.each(['openhands', folder, `${folder}/base_state.json`])('are read as one by the path %s', async (path) => {
    const { svc } = createShell()
    const { code, lines, err } = await svc(['convert', path], { files: stored })
    expect([code, lines().length, err]).toEqual([0, 1, expect.stringContaining('1 transcript with 11 turns converted')])
    expect(lines()[0]).toMatchObject({ externalId: 'c-1', modelName: 'm-1', sourceSystem: 'openhands', turns })
    expect(err).not.toMatch(/skipped|not supported/)
  })

  it('follow the numbers in their names in the layout before version 1, and its cache is not read', async () => {
    const { svc } = createShell()
    const facts = { conversation_id: 's-1', title: 'Counting', created_at: at(0), trigger: 'gui' }
    const older = filesOf('s/metadata.json', facts, (index) => `s/events/${index}.json`)
    const { code, lines, err } = await svc(['convert', 's'], { files: { ...older, 's/event_cache/0-25.json': events } })
    expect([code, lines().length]).toEqual([0, 1])
    expect(lines()[0]).toMatchObject({ externalId: 's-1', name: 'Counting', turns })
    expect(err).not.toContain('skipped')
  })

  const facts = { id: 'c-2', sandbox_id: 's', title: 'Counting', llm_model: 'm-2', created_at: at(0) }
  const exported = filesOf('meta.json', facts, (index) => `event_0000${String(index).padStart(2, '0')}_e${index}.json`)

  it.each(['', 'c-2/'])('are read from the zip of an export, whose names begin with "%s"', async (before) => {
    const { svc, cwd } = createShell()
    const members = Object.entries(exported).map(([name, value]) => ({
      name: before + name,
      content: JSON.stringify(value),
    }))
    writeFileSync(join(cwd, 'export.zip'), zipOf(...members.toReversed()))
    const { code, lines } = await svc(['convert', 'export.zip'])
    expect([code, lines().length]).toEqual([0, 1])
    expect(lines()[0]).toMatchObject({ externalId: 'c-2', name: 'Counting', modelName: 'm-2', turns })
  })

  it('are read with each conversation of a zip, each event once', async () => {
    const { svc, cwd } = createShell()
    const one = (folder: string) =>
      Object.entries(exported).map(([name, value]) => ({ name: `${folder}/${name}`, content: JSON.stringify(value) }))
    writeFileSync(join(cwd, 'both.zip'), zipOf(...one('a'), ...one('b').toReversed()))
    const { lines } = await svc(['convert', 'both.zip'])
    expect(lines()).toMatchObject([
      { externalId: 'c-2', turns },
      { externalId: 'c-2', turns },
    ])
  })

  it.each(['event-00003*', '**/event-00003*'])('are left out where they are excluded by %s', async (pattern) => {
    const { svc } = createShell()
    const { code, json, err } = await svc(['convert', 'openhands', '--exclude', pattern, '--verbose'], {
      files: stored,
    })
    expect([code, (json() as { turns: unknown[] }).turns.length]).toEqual([0, 10])
    expect(err).toContain(`1 path excluded: ${folder}/events/event-00003`)
    expect(err).not.toContain('without a match')
  })

  it('have one file that stands for them, and others beside it are named', async () => {
    const { svc } = createShell()
    const files = {
      ...stored,
      [`${folder}/meta.json`]: { id: 'c-1', title: 'Counting' },
      [`${folder}/events/notes.json`]: [],
    }
    const { code, lines, err } = await svc(['convert', 'openhands', '--verbose'], { files })
    expect([code, lines().length]).toEqual([0, 1])
    expect(err).toContain(`2 companion files skipped: ${folder}/meta.json, ${folder}/events/notes.json`)
  })

  it('are read though the first is empty, and a conversation without events is skipped', async () => {
    const { svc } = createShell()
    const empty = `${folder}/events/event-00000-aaaa-0.json`
    const files = { ...stored, [empty]: '', 'openhands/conversations/c-2/base_state.json': { ...state, id: 'c-2' } }
    const { code, lines, err } = await svc(['convert', 'openhands'], { files })
    expect([code, lines().length, lines()[0]?.turns]).toEqual([0, 1, expect.objectContaining({ length: 10 })])
    expect(err).toContain('1 file without messages skipped')
  })

  it('are read from the folder of an export', async () => {
    const { svc } = createShell()
    const files = Object.fromEntries(Object.entries(exported).map(([name, value]) => [`x/${name}`, value]))
    const { code, lines } = await svc(['convert', 'x'], { files })
    expect([code, lines().length, lines()[0]]).toEqual([0, 1, expect.objectContaining({ externalId: 'c-2' })])
  })

  it('are named where one is damaged, and the others are read', async () => {
    const { svc } = createShell()
    const damaged = `${folder}/events/event-00003-aaaa-3.json`
    const { code, json, err } = await svc(['convert', folder, '--verbose'], {
      files: { ...stored, [damaged]: '{"kind' },
    })
    expect([code, json()]).toEqual([
      0,
      expect.objectContaining({ turns: turns.toSpliced(3, 1).map((turn) => expect.objectContaining(turn)) }),
    ])
    expect(err).toMatch(/file events\/event-00003-aaaa-3\.json: it cannot be read: /)
    expect((await svc(['convert', folder, '--strict'])).code).toBe(3)
  })

  it.each([
    [`${folder}/events/event-00002-aaaa-2.json`, 'Give base_state.json or metadata.json, which stands for all'],
    ['alone/base_state.json', 'expected the events of a conversation beside it, found none'],
  ])('are no conversation alone: %s', async (path, message) => {
    const { svc } = createShell()
    const { code, err } = await svc(['convert', path], { files: { ...stored, 'alone/base_state.json': state } })
    expect([code, err]).toEqual([3, expect.stringContaining(message)])
  })

  it('that have the names of its files are read as they are in other folders', async () => {
    const { svc } = createShell()
    const chat = (text: string) => ({ messages: [{ role: 'user', content: text }] })
    const files = { 'a/meta.json': chat('One'), 'a/events/1.json': chat('Two'), 'a/event_1.json': chat('Three') }
    const { code, lines } = await svc(['convert', 'a'], { files })
    expect([code, lines().length]).toEqual([0, 3])
  })

  it('are uploaded once, as a conversation that changes with a new event', async () => {
    const { svc } = createShell()
    expect((await svc(['upload', 'openhands'], { files: stored })).err).toContain('1 transcript uploaded')
    expect((await svc(['upload', 'openhands'])).err).toContain('1 already stored')
    const files = { [`${folder}/events/event-00011-aaaa-11.json`]: said(11, 'agent', 'Eleven') }
    expect((await svc(['upload', 'openhands'], { files })).err).toContain('same external id as')
  })
})
