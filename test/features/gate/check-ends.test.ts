import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const conversations = ['strong 1', 'strong 2', 'strong 3', 'strong 4', 'strong 5', 'strong 6']
const cache = ['--cache', 'cache']

/** A shell, and how it is stopped while two requests are in flight, which are answered then, or never. */
function stopping(isAnswered: boolean) {
  const shell = scriptedShell()
  const stop = new AbortController()
  let give = () => {}
  const isStopped = new Promise<void>((resolve) => {
    give = resolve
  })
  let asked = 0
  const fetch = async (request: Request): Promise<Response> => {
    if (!request.url.endsWith('/v1/annotations')) return shell.fetch(request)
    asked++
    if (asked === 4) {
      stop.abort('SIGINT')
      give()
    }
    if (asked > 2) await (isAnswered ? isStopped : new Promise(() => {}))
    return shell.fetch(request)
  }
  const check = () =>
    shell.check(conversations, [...cache, '-j', '2', '--json'], { signal: stop.signal, io: { fetch } })
  return { ...shell, stop: check }
}

describe('a check that is stopped', () => {
  it('waits for open requests, judges and caches them', async () => {
    const { stop, check, asked } = stopping(true)
    const { code, err, json } = await stop()
    expect([code, asked.length]).toEqual([130, 4])
    expect(json()).toMatchObject({ judged: 4, results: { passed: 4, 'not judged': 2 }, requests: { sent: 4 } })
    expect(err).toContain('Stopping after 2 open requests. Press Ctrl-C again to quit now.\n')
    expect(err).toContain(
      'svc: Stopped by SIGINT; 2 of 6 transcripts not answered.\nhint: run the command again to continue',
    )
    expect(err).not.toContain('fail')
    expect((await check(conversations, [...cache, '--json'])).json()).toMatchObject({
      requests: { sent: 2, cached: 4 },
    })
  })

  it('does not wait forever, and counts unanswered requests as not judged', async () => {
    const { stop } = stopping(false)
    const { code, err, json } = await stop()
    expect([code, json().judged]).toEqual([130, 2])
    expect(err).toContain('svc: Stopped by SIGINT; 4 of 6 transcripts not answered.\n')
    expect(err).not.toContain('fail')
  })
})

describe('a check with a deadline', () => {
  /** Checks conversations one after another at a service that does not answer what contains `silent`, until 3 seconds have passed. */
  const late = async (silent: RegExp, flags: readonly string[], policy = {}) => {
    const shell = scriptedShell()
    const fetch = async (request: Request): Promise<Response> => {
      if (!silent.test(`${request.url} ${await request.clone().text()}`)) return shell.fetch(request)
      void shell.clock.advance(3_000)
      return new Promise(() => {})
    }
    const words = ['strong 1', 'strong 2', 'strong 3']
    const files = Object.fromEntries(words.map((each, at) => [`conversations/${at}.json`, conversation(each)]))
    const argv = ['check', 'conversations', '--annotator', 'structural', ...cache, ...flags, '-j', '1', '--json']
    return shell.svc(argv, { files: { ...files, 'svc.checks.json': policy }, io: { fetch } })
  }

  it.each([
    ['the policy', { deadline: '3s' }, [], 'raise "deadline" in the policy'],
    ['this run', {}, ['--deadline', '3s'], 'allow it more time'],
  ])('speaks of that of %s where it passes while a request is under way', async (whose, policy, flags, hint) => {
    const { code, err, json } = await late(/strong 2/, flags, policy)
    const gap = { why: 'not annotated', detail: `The deadline of ${whose} has passed.`, temporary: true }
    expect(json()).toMatchObject({ judged: 1, cases: [{ gap: null }, { gap }, { gap }] })
    expect([code, err]).toEqual([75, expect.stringContaining(`finished annotations are in the cache; or ${hint}\n`)])
  })

  it('names the deadline if the registry does not answer in time', async () => {
    const { code, err } = await late(/annotators/, ['--deadline', '3s'])
    expect([code, err]).toEqual([75, expect.stringContaining('The deadline of this run has passed.')])
  })
})

describe('a check with a limit of tokens or failures', () => {
  it.each([[cache], [['--no-cache']]])(
    'says with %j that it is reached, and does not ask to run again',
    async (flags) => {
      const shell = scriptedShell()
      const argv = [...flags, '--max-tokens', '5', '-j', '1', '--json']
      const { code, json, err } = await shell.check(conversations.slice(0, 3), argv)
      expect([code, err]).toEqual([101, expect.not.stringContaining('again')])
      const detail = 'the limit of 5 tokens is reached'
      expect(json()).toMatchObject({ judged: 2, cases: [{}, {}, { gap: { why: 'over budget', detail } }] })
    },
  )

  it('spends no tokens of the budget on cached annotations', async () => {
    const shell = scriptedShell()
    await shell.check(['strong', 'strong 1', 'strong 2'], cache)
    const words = ['strong 3', 'strong 1', 'strong 2']
    const { code, json } = await shell.check(words, [...cache, '--max-tokens', '1', '-j', '1', '--json'])
    expect([code, json()]).toMatchObject([0, { requests: { sent: 1, cached: 2 } }])
  })

  it('sends no request after --max-failures, and judges what is cached', async () => {
    const shell = scriptedShell()
    await shell.check(['strong 9'], cache)
    const words = ['poor 1', 'strong 2', 'poor 3', 'poor 4', 'strong 9']
    const { code, json } = await shell.check(words, [...cache, '--max-failures', '2', '-j', '1', '--json'])
    const detail = 'not asked: 2 transcripts failed'
    expect([code, json()]).toMatchObject([
      100,
      {
        ...{
          line: 'failed: 2 of 5 transcripts are poor or worse; 1 of 5 not judged',
          requests: { sent: 3, cached: 1 },
        },
        cases: [{}, {}, {}, { gap: { why: 'not annotated', detail, temporary: false } }, { result: 'passed' }],
      },
    ])
  })

  it('counts a transcript for --max-failures only once its attempts failed it', async () => {
    const shell = scriptedShell()
    const flags = ['--no-cache', '--max-failures', '1', '--attempts', '3', '-j', '1', '--json']
    const { json } = await shell.check(['poor|strong|strong 1', 'poor 2', 'strong 3'], flags)
    expect(json()).toMatchObject({ cases: [{ result: 'passed' }, { result: 'failed' }, { result: 'not judged' }] })
  })

  it('refuses --max-failures with --update-baseline, which needs every transcript', async () => {
    const flags = ['--max-failures', '1', '--baseline', 'b.json', '--update-baseline']
    const { code, err } = await scriptedShell().check(['strong'], flags)
    expect([code, err]).toEqual([2, expect.stringContaining('--update-baseline needs every transcript.')])
  })

  it('sends nothing after a refusal that all would get, and keeps the answers', async () => {
    const shell = scriptedShell()
    const { code, json } = await shell.check(['strong', '401', 'strong 2'], [...cache, '-j', '1', '--json'])
    expect([code, shell.asked, json()]).toMatchObject([101, ['strong', '401'], { judged: 1 }])
  })
})
