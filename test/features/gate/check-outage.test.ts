import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const cache = ['--cache', 'cache']
const many = (n: number, first: string[] = []) => [
  ...first,
  ...Array.from({ length: n - first.length }, (_, at) => `strong ${at}`),
]

/** A shell whose service goes away, for good, after so many annotation requests. */
function failing(after: number, status = 503) {
  const shell = scriptedShell()
  const sent = { calls: 0, requests: 0 }
  const seen = new Set<string>()
  const fetch = async (request: Request): Promise<Response> => {
    if (!request.url.endsWith('/v1/annotations')) return shell.fetch(request)
    sent.requests++
    seen.add(await request.clone().text())
    sent.calls = seen.size
    if (seen.size <= after) return shell.fetch(request)
    if (status === 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    return Response.json({ error: 'down', detail: 'down' }, { status })
  }
  const check = (words: string[], flags: string[] = []) => shell.check(words, flags, { io: { fetch } })
  return { ...shell, sent, check, plain: shell.check }
}

describe('svc check during an outage', () => {
  it.each([
    [503, 2],
    [503, 4],
    [500, 2],
    [0, 2],
  ])(
    'svc check during an outage of status %i stops after the first 3 × %i failures in a row and ends with 75',
    async (status, concurrency) => {
      const { check, sent } = failing(0, status)
      const { code, json, err } = await check(many(100), ['-j', `${concurrency}`, '--json', '--no-cache'])
      expect(code).toBe(75)
      expect(sent.calls).toBeGreaterThanOrEqual(3 * concurrency)
      expect(sent.calls).toBeLessThan(4 * concurrency)
      expect(json()).toMatchObject({ verdict: 'not judged', exit: 75, judged: 0, total: 100 })
      expect(err).toContain(`svc: Stopped after ${3 * concurrency} failed requests in a row; `)
      expect(err).toMatch(/hint: run the command again when the service answers\n/)
      const gaps = (json().cases as { gap: object }[]).map(({ gap }) => gap)
      expect(gaps.at(-1)).toEqual({
        why: 'not annotated',
        detail: `not asked: ${3 * concurrency} requests in a row failed`,
        temporary: true,
      })
    },
  )

  it('ends with 100 where a finding has failed before', async () => {
    const { check, sent } = failing(1)
    const { code } = await check(many(100, ['poor']), ['-j', '1', '--no-cache'])
    expect([code, sent.calls]).toEqual([100, 4])
  })

  it('never passes, whatever share --min-judged asks for', async () => {
    const { check } = failing(6)
    expect((await check(many(10), ['-j', '1', '--min-judged', '10%', '--no-cache'])).code).toBe(75)
  })

  it('still judges cached annotations', async () => {
    const shell = failing(0)
    const words = [...many(20), 'poor last']
    await shell.plain(['poor last'], cache)
    const { code, json } = await shell.check(words, [...cache, '-j', '1', '--json'])
    expect([code, json()]).toMatchObject([100, { judged: 1, total: 21, results: { failed: 1, 'not judged': 20 } }])
  })

  it('svc check during an outage goes on where any answer comes between the failures', async () => {
    const shell = scriptedShell()
    const seen: string[] = []
    const fetch = async (request: Request): Promise<Response> => {
      if (!request.url.endsWith('/v1/annotations')) return shell.fetch(request)
      const body = await request.text()
      if (!seen.includes(body)) seen.push(body)
      return Response.json({ error: 'no', detail: 'no' }, { status: seen.indexOf(body) % 3 === 2 ? 422 : 503 })
    }
    const { code, json } = await shell.check(many(30), ['-j', '1', '--json', '--no-cache'], { io: { fetch } })
    expect([code, seen.length]).toEqual([101, 30])
    expect(JSON.stringify(json())).not.toContain('in a row')
  })

  it('does not count waits after a 429', async () => {
    const shell = scriptedShell()
    let refused = 0
    const fetch = async (request: Request): Promise<Response> => {
      if (request.url.endsWith('/v1/annotations') && refused++ < 12)
        return Response.json({ error: 'slow', detail: '' }, { status: 429, headers: { 'retry-after': '1' } })
      return shell.fetch(request)
    }
    const { code } = await shell.check(many(10), ['-j', '1', '--no-cache'], { io: { fetch } })
    expect(code).toBe(0)
  })

  it('sends no annotation request if the registry fails, and prints the reason for each transcript', async () => {
    const shell = scriptedShell()
    const fetch = async () => Response.json({ error: 'down', detail: 'down' }, { status: 503 })
    const { code, json, err } = await shell.check(many(20), ['--json', '-j', '1'], { io: { fetch } })
    expect([code, shell.asked, json().judged]).toEqual([75, [], 0])
    expect(err).not.toContain('in a row')
  })
})

describe('svc check --update-baseline while the annotator changes its version', () => {
  const update = ['--baseline', 'b.json', '--update-baseline', '-j', '1', '--no-cache', '--json']

  /** A shell whose annotator has another version from the nth annotation request on. */
  function changing(nth: number, more: string[] = []) {
    const shell = scriptedShell()
    let asked = 0
    const fetch = async (request: Request): Promise<Response> => {
      if (request.url.endsWith('/v1/annotations') && ++asked >= nth) shell.versions.annotator_version = '2.0.0'
      return shell.fetch(request)
    }
    return { ...shell, run: (words: string[]) => shell.check(words, [...update, ...more], { io: { fetch } }) }
  }

  it.each([[[]], [['--min-judged', '10%']]])('writes nothing, reports it and ends with 101, with %j', async (flags) => {
    const { run, svc } = changing(2, flags)
    const { code, json, err } = await run(['strong 1', 'strong 2'])
    expect([code, json()]).toMatchObject([101, { verdict: 'not judged', exit: 101, baseline: { updated: false } }])
    expect(err).toContain('the baseline was not written: the annotator changed its version during the run')
    const again = await svc(['check', 'x.json', '--annotator', 'structural', '--baseline', 'b.json'], {
      files: { 'x.json': conversation('strong') },
    })
    expect([again.code, again.err]).toEqual([3, expect.stringContaining('no such baseline')])
  })

  it('writes nothing where the attempts of one transcript differ in it', async () => {
    const { code, err } = await changing(3, ['--attempts', '3']).run(['strong'])
    expect([code, err]).toEqual([101, expect.stringContaining('the baseline was not written')])
  })

  it('ends with 101 if a transcript could not be judged, for any --min-judged', async () => {
    const { code, err } = await changing(9, ['--min-judged', '10%']).run(['strong', '422'])
    expect([code, err]).toEqual([101, expect.stringContaining('1 of 2 transcripts were not judged')])
  })
})
