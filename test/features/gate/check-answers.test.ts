import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const cache = ['--cache', 'cache']

/** A shell whose service changes each answer to an annotation request; `undefined` leaves it as it is. */
function changing(change: (answer: Record<string, unknown>, content: string) => unknown) {
  const shell = scriptedShell()
  const fetch = async (request: Request): Promise<Response> => {
    const content = request.method === 'POST' ? await request.clone().text() : ''
    const response = await shell.fetch(request)
    if (!request.url.endsWith('/v1/annotations') || response.status !== 200) return response
    const answer = await response.json()
    const changed = change(answer, content)
    return typeof changed === 'string' ? new Response(changed) : Response.json(changed)
  }
  const check = (words: string[], flags: string[] = []) => shell.check(words, flags, { io: { fetch } })
  const annotate = (argv: string[], files: Record<string, unknown>) =>
    shell.clock.until(shell.svc(['annotate', ...argv, '--annotator', 'structural'], { files, io: { fetch } }))
  return { ...shell, check, annotate, plain: shell.check }
}

const summary = { title: 't', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' }
const without = (answer: object, name: string) =>
  Object.fromEntries(Object.entries(answer).filter(([key]) => key !== name))

/** Malformed annotations: a name, the change to a right one, and the message about it. */
const malformed: [string, (answer: Record<string, unknown>) => unknown, string][] = [
  ['a signal that is null', (a) => ({ ...a, signals: { x: null } }), '/signals/x expected an object, found null'],
  [
    'a signal without evidence',
    (a) => ({ ...a, signals: { 'a/b~': { turn: 1 } } }),
    '/signals/a~1b~0/evidence is missing',
  ],
  [
    'a turn that is a text',
    (a) => ({ ...a, signals: { x: { evidence: '', turn: '2' } } }),
    '/signals/x/turn expected a whole number or null, found a text',
  ],
  [
    'half a turn',
    (a) => ({ ...a, signals: { x: { evidence: '', turn: 1.5 } } }),
    '/signals/x/turn expected a whole number or null, found a number',
  ],
  ['a list of signals', (a) => ({ ...a, signals: [] }), '/signals expected an object, found a list'],
  ['no signals', (a) => without(a, 'signals'), '/signals is missing'],
  [
    'a signal named like a prototype that is null',
    (a) => JSON.stringify({ ...a, signals: 0 }).replace('"signals":0', '"signals":{"__proto__":null}'),
    '/signals/__proto__ expected an object, found null',
  ],
  ['usage that is a list', (a) => ({ ...a, usage: [1] }), '/usage expected an object, found a list'],
  [
    'usage in fractions',
    (a) => ({ ...a, usage: { tokens_in: 1.5, tokens_out: 1, latency_ms: 1 } }),
    '/usage/tokens_in expected a whole number, found a number',
  ],
  [
    'usage in words',
    (a) => ({ ...a, usage: { tokens_in: 1, tokens_out: 'many' } }),
    '/usage/tokens_out expected a whole number, found a text',
  ],
  ['an outcome that is a number', (a) => ({ ...a, outcome: 1 }), '/outcome expected a text, found a number'],
  ['notes that are null', (a) => ({ ...a, outcome_notes: null }), '/outcome_notes expected a text, found null'],
  ['no summary', (a) => without(a, 'summary'), '/summary is missing'],
  ['a summary without a domain', (a) => ({ ...a, summary: without(summary, 'domain') }), '/summary/domain is missing'],
  [
    'a keyword that is a number',
    (a) => ({ ...a, summary: { ...summary, keywords: [1] } }),
    '/summary/keywords/0 expected a text, found a number',
  ],
  [
    'versions that are numbers',
    (a) => ({ ...a, annotator_version: 1, taxonomy_version: 2 }),
    '/annotator_version expected a text, found a number; /taxonomy_version expected a text, found a number',
  ],
  [
    'the answer of another annotator',
    (a) => ({ ...a, annotator: 'patterns' }),
    '/annotator expected "structural", found "patterns"',
  ],
  ['no annotator', (a) => without(a, 'annotator'), '/annotator is missing'],
  ['a list', () => [], 'expected an object, found a list'],
  ['null', () => null, 'expected an object, found null'],
  ['a page', () => '<!doctype html><title>Sign in</title>', 'expected an object, found a text'],
  [
    'an error in the envelope of success',
    () => ({ error: 'x', detail: 'y' }),
    '/summary is missing; /outcome is missing; /outcome_notes is missing; /signals is missing; /annotator is missing; and 2 more',
  ],
]

describe('svc check of a malformed answer', () => {
  it.each(malformed)(
    'svc check does not judge an answer of %s, names the place, and ends with 101',
    async (_, change, said) => {
      const shell = changing((answer, content) => (content.includes('odd') ? change(answer) : answer))
      const { code, json, err } = await shell.check(['strong odd', 'strong'], ['--json', '--report', 'junit=j.xml'])
      expect(json()).toMatchObject({
        ...{ verdict: 'not judged', exit: 101, judged: 1, total: 2 },
        cases: [
          { result: 'not judged', outcome: null, gap: { why: 'malformed answer', detail: said, temporary: false } },
          { result: 'passed' },
        ],
      })
      expect([code, err]).toEqual([101, expect.stringContaining(said)])
      expect(err).not.toMatch(/\n {4}at /)
      expect(readFileSync(join(shell.cwd, 'j.xml'), 'utf8')).toContain('malformed answer')
    },
  )

  it.each(malformed)('svc check of a malformed answer of %s is not cached', async (_, change) => {
    const shell = changing(change)
    await shell.check(['strong'], cache)
    const { code, json } = await shell.plain(['strong'], [...cache, '--json'])
    expect([code, json().requests]).toEqual([0, { sent: 1, cached: 0, same: 0 }])
  })

  it('reports each malformed annotation, and ends with 101 if all are malformed', async () => {
    const { code, out } = await changing((answer) => without(answer, 'summary')).check(['strong 1', 'poor 2'])
    expect([code, out]).toEqual([101, expect.stringContaining('2 malformed answer: /summary is missing')])
  })

  it('reports an empty or too large body with the message of the client', async () => {
    const { code, out } = await changing(() => '').check(['strong'])
    expect([code, out]).toEqual([101, expect.stringContaining('200 unexpected: the answer is not the declared JSON')])
  })

  it('ends with 100 where another transcript fails', async () => {
    const { check } = changing((answer, content) => (content.includes('odd') ? without(answer, 'summary') : answer))
    expect((await check(['strong odd', 'poor'])).code).toBe(100)
  })

  it('counts the tokens of malformed answers for --max-tokens', async () => {
    const shell = changing((answer) => ({ ...answer, signals: null }))
    const { code } = await shell.check(['strong 1', 'strong 2', 'strong 3'], ['--max-tokens', '5', '-j', '1'])
    expect([code, shell.asked.length]).toEqual([101, 2])
  })

  it('takes fields that the interface does not list, null turns and turns beyond the last', async () => {
    const signals = { a: { evidence: '', turn: null, more: [1] }, b: { evidence: '' }, c: { evidence: '', turn: 99 } }
    const { code, json } = await changing((a) => ({ ...a, signals, more: {} })).check(['strong'], ['--json'])
    expect([code, json().judged]).toEqual([0, 1])
  })

  it('leaves an outcome that the interface does not list unjudged', async () => {
    const { code, json } = await changing((a) => ({ ...a, outcome: 'superb' })).check(['strong'], ['--json'])
    expect([code, json()]).toMatchObject([101, { cases: [{ outcome: 'superb', gap: { why: 'unknown outcome' } }] }])
  })

  it('svc check of a malformed answer cannot end with 0 where an answer is malformed, whatever the answer is', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(null, {}, [], '', 0, { x: null }, { x: { evidence: '' } }))
    const field = fc.constantFrom(
      'summary',
      'outcome',
      'outcome_notes',
      'signals',
      'annotator',
      'usage',
      'annotator_version',
    )
    await fc.assert(
      fc.asyncProperty(field, value, async (name, odd) => {
        const { code, err, json } = await changing((a) => ({ ...a, [name]: odd })).check(['strong'], ['--json'])
        expect(err).not.toMatch(/\n {4}at /)
        const [{ result }] = json().cases as [{ result: string }]
        expect([code, result]).toEqual(result === 'passed' ? [0, 'passed'] : [result === 'failed' ? 100 : 101, result])
        if (result === 'passed')
          expect(typeof odd).toBe(name === 'signals' || name === 'summary' || name === 'usage' ? 'object' : 'string')
      }),
      { numRuns: runs(20) },
    )
  })
})

describe('svc annotate of a malformed answer', () => {
  it.each(malformed)(
    'svc annotate refuses an answer of %s, names the place, and ends with 6',
    async (_, change, said) => {
      const { annotate } = changing(change)
      const { code, out, err } = await annotate(['a.json'], { 'a.json': conversation('strong') })
      expect([code, out, err]).toEqual([
        6,
        '',
        expect.stringContaining(`svc: The service sent a malformed answer: ${said}.\nhint: `),
      ])
    },
  )

  it('svc annotate of a malformed answer is one error among the others of a folder', async () => {
    const { annotate } = changing((answer, content) => (content.includes('odd') ? without(answer, 'summary') : answer))
    const { code, lines } = await annotate(['t', '--json'], {
      't/1.json': conversation('strong odd'),
      't/2.json': conversation('strong'),
    })
    expect(code).toBe(8)
    expect(lines()).toMatchObject([
      {
        path: 't/1.json',
        error: { kind: 'unexpected', message: expect.stringContaining('/summary is missing'), exit: 6 },
      },
      { path: 't/2.json', annotation: { outcome: 'strong' } },
    ])
  })

  it('shows an outcome that the interface does not list', async () => {
    const { code, json } = await changing((a) => ({ ...a, outcome: 'superb' })).annotate(['a.json', '--json'], {
      'a.json': conversation('x'),
    })
    expect([code, json()]).toMatchObject([0, { annotation: { outcome: 'superb' } }])
  })
})
