import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

type Answer = Record<string, unknown>
const without = ({ usage: _, ...answer }: Answer): Answer => answer

/** Incomplete usage of an annotation, and the usage that the report then has. */
const unshown: [string, (answer: Answer) => Answer, object][] = [
  ['is missing', without, { tokens_in: null, tokens_out: null, latency_ms: null }],
  ['is null', (a) => ({ ...a, usage: null }), { tokens_in: null, tokens_out: null, latency_ms: null }],
  ['is empty', (a) => ({ ...a, usage: {} }), { tokens_in: null, tokens_out: null, latency_ms: null }],
  [
    'has no latency',
    (a) => ({ ...a, usage: { tokens_in: 3, tokens_out: 1 } }),
    { tokens_in: 3, tokens_out: 1, latency_ms: null },
  ],
  [
    'has tokens that are null',
    (a) => ({ ...a, usage: { tokens_in: null, tokens_out: 1, latency_ms: 2 } }),
    { tokens_in: null, tokens_out: 1, latency_ms: 2 },
  ],
]

/** A shell whose service changes the annotations of conversations that say `odd`. */
function changing(change: (answer: Answer) => Answer) {
  const shell = scriptedShell()
  const fetch = async (request: Request): Promise<Response> => {
    const isOdd = request.method === 'POST' && (await request.clone().text()).includes('odd')
    const response = await shell.fetch(request)
    return isOdd && response.ok ? Response.json(change((await response.json()) as Answer)) : response
  }
  const check = (words: string[], flags: string[] = [], files = {}) =>
    shell.check(words, flags, { files, io: { fetch } })
  const read = (file: string) => readFileSync(join(shell.cwd, file), 'utf8')
  return { ...shell, fetch, check, read }
}

const prices = { prices: { currency: 'EUR', in: 3, out: 15 } }
const policy = { 'svc.checks.json': prices }

describe('an annotation whose usage is not shown', () => {
  it.each(unshown)('an annotation whose usage %s is judged, and counts as unknown', async (_, change, usage) => {
    const { check } = changing(change)
    const { code, json } = await check(['strong odd'], ['--json', '--no-cache'])
    expect([code, json()]).toMatchObject([0, { judged: 1, usage, cases: [{ usage, result: 'passed' }] }])
  })

  it.each(unshown.slice(0, 3))('is unknown in the sums of every report where it %s', async (_, change) => {
    const { check, read } = changing(change)
    const files = ['json', 'junit', 'md', 'html', 'sarif', 'gitlab']
    const reports = files.flatMap((form) => ['--report', `${form}=report.${form}`])
    const { code, out } = await check(['strong odd', 'strong'], ['--no-cache', ...reports], policy)
    expect(code).toBe(0)
    const report = JSON.parse(read('report.json'))
    expect(report).toMatchObject({
      usage: { tokens_in: null, tokens_out: null, latency_ms: null },
      cost: { currency: 'EUR', spent: null, saved: 0 },
      cases: [{}, { usage: { tokens_in: 3, tokens_out: 1, latency_ms: 2 } }],
    })
    expect(out).toContain('an unknown amount spent, EUR 0.0000 saved')
    expect(read('report.junit')).toContain('<property name="tokens_in" value="unknown"/>')
    expect(read('report.junit')).toMatch(/<testsuites name="svc check" tests="\d+" failures="0" errors="0">/)
    expect(read('report.md')).toContain('unknown tokens in, unknown out; `an unknown amount spent')
    expect(JSON.parse(read('report.sarif')).runs[0].properties.usage.tokens_in).toBeNull()
    expect(read('report.html')).toContain('an unknown amount spent')
    for (const form of files.filter((each) => each !== 'html'))
      expect(read(`report.${form}`)).not.toMatch(/NaN|undefined/)
  })

  it('stays unknown in merged reports', async () => {
    const { check, svc } = changing(without)
    await check(['strong odd'], ['--no-cache', '--report', 'json=a.json'], policy)
    const other = scriptedShell()
    await other.check(['strong'], ['--no-cache', '--report', 'json=b.json'], { files: policy })
    const files = { 'b.json': readFileSync(join(other.cwd, 'b.json'), 'utf8').replaceAll('0.json', '1.json') }
    const merged = await svc(['report', 'merge', 'a.json', 'b.json', '--json'], { files })
    expect(merged.json()).toMatchObject({ usage: { tokens_in: null, latency_ms: null }, cost: { spent: null } })
  })

  it('is cached like any other annotation', async () => {
    const { check } = changing(without)
    const flags = ['--json', '--cache', 'cache']
    await check(['strong odd'], flags)
    expect((await check(['strong odd'], flags)).json()).toMatchObject({
      requests: { sent: 0, cached: 1 },
      saved: { tokens_in: null, tokens_out: null },
    })
  })

  it('counts by an estimate towards the limit of tokens, which the report says', async () => {
    const { check, asked } = changing(without)
    const words = Array.from({ length: 9 }, (_, at) => `strong odd ${at}`)
    const { code, json, err } = await check(words, ['--max-tokens', '60', '-j', '1', '--json', '--no-cache'])
    expect([code, asked.length]).toEqual([101, 2])
    const note =
      'the service does not show the tokens of all answers: the limit of tokens counts an estimate of what was sent'
    expect([json().notes, err]).toEqual([[note], expect.stringContaining(`warning: ${note}\n`)])
  })

  it('is given to the rules of a policy as it is', async () => {
    const rules = `export default { annotator: 'structural', rules: {
      tokens: ({ annotation }) => annotation.usage?.tokens_in === undefined ? 'not shown' : [] } }`
    const { check } = changing(without)
    const { code, json } = await check(['strong odd', 'strong'], ['--policy', 'mine.mjs', '--json', '--no-cache'], {
      'mine.mjs': rules,
    })
    expect([code, json().results]).toMatchObject([100, { failed: 1, passed: 1 }])
  })

  it.each(unshown)('is printed by svc annotate where it %s', async (_, change, usage) => {
    const { svc, fetch } = changing(change)
    const files = { 'c.json': conversation('strong odd') }
    const argv = ['annotate', 'c.json', '--annotator', 'structural']
    const shown = await svc(argv, { files, io: { fetch }, tty: true })
    const { tokens_in } = usage as { tokens_in: number | null }
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining(`; ${tokens_in ?? 'unknown'} tokens in, `)])
    const { json } = await svc([...argv, '--json'], { io: { fetch } })
    const plain = change({ usage: { tokens_in: 3, tokens_out: 1, latency_ms: 2 } }).usage
    expect((json().annotation as Answer).usage).toEqual(plain)
  })
})
