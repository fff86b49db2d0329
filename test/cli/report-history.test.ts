import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderHistory } from '@svc/checks'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from './scripted-annotator.js'

/** A shell with the reports of several runs over the same files, in which each run answers as its words say. */
async function runs(...all: readonly (readonly string[])[]) {
  const shell = scriptedShell()
  const policy = {
    rates: [{ outcome: 'poor', max: '50%' }],
    failOn: 'poor',
    prices: { currency: 'EUR', in: 3, out: 15 },
  }
  for (const [at, words] of all.entries()) {
    const files = { 'svc.checks.json': JSON.stringify(policy) }
    await shell.check(words, ['--no-cache', '--report', `json=reports/2026-11-0${at + 1}.json`, '--min-judged', '0%'], {
      files,
    })
  }
  return shell
}

describe('svc report history', () => {
  it('shows the figures of each run in order, and the run in which each finding began', async () => {
    const words = ['poor|strong|poor', 'strong|poor']
    const shell = await runs(words, words, words, words)
    const { code, json } = await shell.svc(['report', 'history', 'reports', '--json'])
    expect([code, json()]).toMatchObject([
      0,
      {
        schema: 'svc/report-history@1',
        runs: [1, 2, 3, 4].map((day) => ({
          file: `reports/2026-11-0${day}.json`,
          results: { failed: day < 3 ? 1 : 2 },
          rates: [{ name: 'poor or worse', share: day < 3 ? 0.5 : 1, max: 0.5 }],
          cost: { currency: 'EUR' },
        })),
        began: [
          { path: 'conversations/0.json', finding: 'the outcome is poor', since: 'reports/2026-11-03.json', runs: 2 },
          { path: 'conversations/1.json', since: 'reports/2026-11-02.json', runs: 3 },
        ],
      },
    ])
  })

  it('goes on over a run that did not judge the transcript, and shows a run that ended early', async () => {
    const shell = await runs(['poor'], ['422'], ['poor'])
    const failing = ['check', 'conversations', '--annotator', 'structural', '--report', 'json=reports/2026-11-02b.json']
    expect((await shell.svc(failing, { env: { SVC_API_KEY: undefined } })).code).toBe(4)
    const { json } = await shell.svc(['report', 'history', 'reports', '--json'])
    expect(json()).toMatchObject({
      runs: [{}, { verdict: 'not judged' }, { file: 'reports/2026-11-02b.json', verdict: 'not judged', judged: 0 }, {}],
      began: [{ since: 'reports/2026-11-01.json', runs: 2 }],
    })
  })

  it('prints a row for each run, and the findings on a terminal', async () => {
    const shell = await runs(['strong'], ['poor'])
    const plain = await shell.svc(['report', 'history', 'reports'])
    expect(plain.out).toBe(
      'reports/2026-11-01.json\tpassed\t1 of 1\t0\t0 %\t4\tEUR 0.0000\nreports/2026-11-02.json\tfailed\t1 of 1\t1\t100 %\t4\tEUR 0.0000\n',
    )
    const { out } = await shell.svc(['report', 'history', 'reports'], { tty: true, columns: 80 })
    expect(out).toContain('0 (conversations/0.json): the outcome is poor\n  new in reports/2026-11-02.json\n')
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('writes a page with a chart for each figure and every number as text', async () => {
    const shell = await runs(['strong', 'poor'], ['poor', 'poor'])
    const { code } = await shell.svc([
      'report',
      'history',
      'reports',
      '--report',
      'html=history.html',
      '--report',
      'json=history.json',
    ])
    const page = readFileSync(join(shell.cwd, 'history.html'), 'utf8')
    expect(code).toBe(0)
    expect(page).toContain('aria-label="Failed, of those judged: last 100 %, at most 100 %"')
    expect(page).toContain('aria-label="Rate: poor or worse: last 100 %, at most 100 %; limit 50 %"')
    expect(page).toContain('<title>reports/2026-11-01.json: 50 %</title>')
    expect(page).not.toContain('<script')
    expect(JSON.parse(readFileSync(join(shell.cwd, 'history.json'), 'utf8')).runs).toHaveLength(2)
  })

  it('has no power in a page, whatever a report holds', async () => {
    const hostile = '"><script>alert(1)</script>'
    const zero = { failed: 0, 'not judged': 0, known: 0, warned: 0, ignored: 0, passed: 0 }
    const run = {
      ...{ file: hostile, verdict: 'failed' as const, line: hostile, total: 1, judged: 1, results: zero, requests: 1 },
      ...{ outcomes: { [hostile]: 1 }, usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 } },
      ...{
        rates: [{ name: hostile, share: 1, max: 0, verdict: 'exceeded' as const }],
        cost: { currency: hostile, spent: 1, saved: 0 },
      },
    }
    const identity = { path: hostile, record: 1, part: 1, name: hostile, sha256: null, occurrence: 1 }
    const began = [{ ...identity, finding: hostile, since: hostile, runs: 1 }]
    const page = [...(await renderHistory({ schema: 'svc/report-history@1', runs: [run], began }, 'html'))].join('')
    expect(page).not.toContain('<script')
  })

  it.each([
    [['report', 'history', 'nowhere'], 3, 'there is no such report'],
    [['report', 'history', 'other.json'], 3, 'expected a report'],
    [['report', 'history', 'empty'], 2, 'The directory empty contains no reports.'],
    [['report', 'history', 'other.json', '--report', 'pdf=a'], 2, 'formats: json, html'],
    [['report', 'history', 'other.json', '--report', 'html=other.json'], 2, 'other.json'],
  ])('%j ends with %i', async (argv, expected, message) => {
    const shell = scriptedShell()
    mkdirSync(join(shell.cwd, 'empty'))
    writeFileSync(join(shell.cwd, 'other.json'), JSON.stringify(conversation('hi')))
    const { code, err } = await shell.svc(argv)
    expect([code, err]).toEqual([expected, expect.stringContaining(message)])
  })
})
