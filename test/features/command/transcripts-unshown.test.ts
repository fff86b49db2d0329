import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'
import { transcriptPage } from '../../helpers/transcript-page.js'

const id = 'tr_6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const turns = [
  { role: 'user', content: 'Where is it?' },
  { role: 'assistant', content: 'Here.' },
]
const record = { id, name: 'Refund', processing_status: 'completed', turn_count: 2 }

/** The outputs for a transcript: of `read`, of `get` in a pipe and on a terminal, and of the page. */
async function shownBy(data: object) {
  const { svc } = createShell({ ...createSession(), fetch: async () => Response.json({ data }) })
  const texts: string[] = []
  for (const [argv, tty] of [
    [['read', id], false],
    [['get', id], false],
    [['get', id], true],
  ] as const) {
    const { code, out, err } = await svc(['transcripts', ...argv], { tty, env: { NO_COLOR: '1' } })
    expect(code).toBe(0)
    texts.push(out + err)
  }
  return [...texts, await transcriptPage(data)]
}

describe.each(['read', 'get'])('svc transcripts %s', (command) => {
  const run = async (data: object, flags: string[] = []) => {
    const { svc } = createShell({ ...createSession(), fetch: async () => Response.json({ data }) })
    return svc(['transcripts', command, id, ...flags])
  }

  it('prints a body that lacks fields as it is with --json', async () => {
    const data = { ...record, turns: [{ role: 'user', content: null, weight: 3 }], messages: [1] }
    const { code, json, err } = await run(data, ['--json'])
    expect([code, json(), err]).toEqual([0, { schema: 'svc/transcript@1', ...data }, ''])
  })

  it.each([[], ...(command === 'read' ? [['--web']] : [])])('refuses turns that are no list, %s', async (...flags) => {
    const { code, err } = await run({ ...record, turns: 'redacted' }, flags)
    expect([code, err]).toEqual([6, expect.stringContaining('/data/turns expected a list, found a text')])
  })

  it('says nothing where all turns are shown', async () => {
    const { out, err } = await run({ ...record, turns })
    expect(out + err).not.toContain('the service shows')
  })
})

describe('a transcript of which the service does not show everything', () => {
  it.each<[string, string, object]>([
    ['with fewer turns than counted', 'the service shows 2 of 12 turns', { ...record, turn_count: 12, turns }],
    ['without turns', 'the service shows no turns (12 counted)', { ...record, turn_count: 12 }],
    ['whose turns are null', 'the service shows no turns (12 counted)', { ...record, turn_count: 12, turns: null }],
    ['with an empty list of turns', 'the service shows no turns (1 counted)', { ...record, turn_count: 1, turns: [] }],
    ['with an id only', 'the service shows no turns', { id }],
  ])('a transcript %s has the notice "%s"', async (_, notice, data) => {
    for (const text of await shownBy(data)) expect(text).toMatch(new RegExp(notice.replace(/[()]/g, '\\$&')))
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['missing', undefined],
    ['an object', { type: 'text', text: 'Hi' }],
    ['a list', [{ type: 'text', text: 'Hi' }]],
  ])('says that the content of a turn that is %s is not shown', async (_, content) => {
    for (const text of await shownBy({ ...record, turns: [{ role: 'user', content }, turns[1]] })) {
      expect(text).toContain('not shown')
      expect(text).toContain('Here.')
      if (typeof content === 'object' && content) expect(text).toMatch(/(&#34;|")text(&#34;|"):(&#34;|")Hi/)
    }
  })

  it('says so of turns that are no records', async () => {
    const data = { ...record, turn_count: 3, turns: ['Where?', null, 7] }
    for (const text of await shownBy(data)) expect(text.split('not shown').length).toBeGreaterThan(3)
  })

  it('prints fields that nobody names, of the record and of a turn, and turns under another name', async () => {
    const odd = { role: 'user', content: 'Hi', weight: 3, toolCalls: [], metadata: {}, speaker: { name: 'Ann' } }
    const data = { ...record, turns: [odd, turns[1]], sentiment: 'curt', messages: [{ from: 'a', text: 'Hello' }] }
    for (const text of await shownBy(data)) {
      for (const part of ['sentiment', 'curt', 'messages', 'Hello', 'weight', '3', 'speaker', 'Ann'])
        expect(text).toContain(part)
      expect(text).not.toContain('toolCalls')
    }
    const [, piped] = await shownBy(data)
    expect(piped).toContain('turn\t1\tuser\tHi\nturn.weight\t1\t3\nturn.speaker\t1\t{"name":"Ann"}\nturn\t2\tassistant')
  })

  it('bounds a long value for a person, and gives it whole to a pipe', async () => {
    const messages = [{ text: 'x'.repeat(5_000) }]
    const [shown = '', piped = '', terminal = '', page = ''] = await shownBy({ ...record, messages })
    for (const text of [shown, terminal, page]) {
      expect(text).toContain('…')
      expect(text).not.toContain('x'.repeat(2_001))
    }
    expect(piped).toContain(`messages\t${JSON.stringify(messages)}\n`)
  })

  it('makes unknown fields safe for the terminal', async () => {
    const evil = '\u001b[2J'
    const data = { ...record, [evil]: evil, turns: [{ role: 'user', content: 'Hi', [evil]: evil }] }
    for (const text of await shownBy(data)) expect(text).not.toContain('\u001b')
  })
})
