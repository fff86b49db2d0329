import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

interface Drawn {
  id: string
  cases: { sha256: string; stratum: { name: string; total: number; drawn: number } }[]
}

/** A check of transcripts of which 31 fail and 31 pass, and the sample of its report. */
async function sampled() {
  const shell = scriptedShell()
  const words = Array.from({ length: 62 }, (_, at) => `${at < 31 ? 'poor' : 'strong'} ${at}`)
  const files = ['--report', 'json=report.json', '--with-turns', '--cache', 'kept']
  await shell.check(words, files)
  const { code, err } = await shell.svc(['report', 'sample', 'report.json', '--size', '60', '--out', 'sample.html'])
  const page = readFileSync(join(shell.cwd, 'sample.html'), 'utf8')
  const block = /<script type="application\/json" id="sample">(.*)<\/script>/.exec(page)?.[1] ?? ''
  const sample = JSON.parse(block) as Drawn
  /** Write labels of the sample: what fails is bad, but for some. */
  const label = (name: string, wordOf: (stratum: string, at: number) => string, more: object = {}) => {
    const at = '2026-11-29T10:00:00.000Z'
    const lines = sample.cases.map(({ sha256, stratum }, nth) =>
      JSON.stringify({
        schema: 'svc/label@1',
        sha256,
        label: wordOf(stratum.name, nth),
        stratum,
        by: 'Jo',
        at,
        ...more,
      }),
    )
    writeFileSync(join(shell.cwd, name), lines.join('\n'))
  }
  const check = (...flags: string[]) => shell.check(words, ['--cache', 'kept', ...flags])
  return { ...shell, words, code, err, page, sample, label, check }
}

describe('svc report sample', () => {
  it('writes a page with the turns of failing and passing transcripts, and without their verdicts', async () => {
    const { code, err, page, sample } = await sampled()
    expect([code, err]).toEqual([0, 'drawn: 30 of 31 that failed, 30 of 31 that passed\n'])
    expect(sample.cases).toHaveLength(60)
    const [before = ''] = page.split('<script type="application/json" id="sample">')
    const blocks = [...page.matchAll(/id="turns-\d+">(.*)<\/script>/g)].map(([, turns]) => turns)
    expect(blocks).toHaveLength(60)
    const shown = before.slice(before.indexOf('<body>'))
    expect(shown).toContain('Label 60 transcripts')
    expect(shown).not.toMatch(/fail|poor|strong|verdict/)
  })

  it('draws the same sample for the same seed, and another one for another', async () => {
    const { svc, sample } = await sampled()
    const drawn = async (seed: string) => (await svc(['report', 'sample', 'report.json', '--seed', seed])).out
    expect(await drawn('0')).toContain(sample.id)
    expect(await drawn('1')).not.toContain(sample.id)
  })

  it('prints what it drew as JSON, beside the page', async () => {
    const { svc, sample } = await sampled()
    const { json } = await svc(['report', 'sample', 'report.json', '--out', 'again.html', '--json'])
    expect(json()).toEqual({
      ...{ schema: 'svc/label-sample@1', id: sample.id, out: 'again.html' },
      ...{ failed: { total: 31, drawn: 30 }, passed: { total: 31, drawn: 30 } },
    })
    expect((await svc(['report', 'sample', 'report.json', '--json'])).code).toBe(2)
  })

  it('refuses a report without turns, and to write over it', async () => {
    const { svc, check } = await sampled()
    await check('--report', 'json=plain.json')
    const { code, err } = await svc(['report', 'sample', 'plain.json', '--out', 'plain.html'])
    expect([code, err]).toEqual([3, expect.stringContaining('The report has no turns to show.')])
    expect((await svc(['report', 'sample', 'report.json', '--out', 'report.json'])).code).toBe(2)
  })

  it('writes a page that no check takes for a transcript', async () => {
    const { svc, label, clock } = await sampled()
    label('conversations/labels.jsonl', () => 'good')
    await svc(['report', 'sample', 'report.json', '--out', 'conversations/sample.html'])
    const { json } = await clock.until(
      svc(['check', 'conversations', '--annotator', 'structural', '--cache', 'kept', '--json']),
    )
    expect(json()).toMatchObject({ total: 62, judged: 62 })
  })
})

describe('labels of people', () => {
  it('stand beside the verdicts in every report of a check that people read, and change none', async () => {
    const { check, label, cwd } = await sampled()
    label('labels.jsonl', (stratum, at) => (stratum === 'failed' ? (at % 10 === 0 ? 'good' : 'bad') : 'good'))
    const forms = ['--report', 'md=report.md', '--report', 'html=report.html']
    const { code, out } = await check('--labels', 'labels.jsonl', ...forms)
    expect(code).toBe(100)
    for (const text of [out, ...['report.md', 'report.html'].map((name) => readFileSync(join(cwd, name), 'utf8'))]) {
      expect(text).toMatch(/passed: 30 good, 0 bad, 0 unsure/)
      expect(text).toMatch(/bad: \d+(\.\d)? % \(at least \d+(\.\d)? %, at most \d+(\.\d)? %\)/)
      expect(text).toMatch(/true positive rate 100 %, true negative rate \d+(\.\d)? %, κ 0\.\d\d/)
    }
    const { json } = await check('--labels', 'labels.jsonl', '--json')
    expect(json()).toMatchObject({ verdict: 'failed', labels: { from: 'labels.jsonl', transcripts: 60, chosen: 0 } })
  })

  it('show two annotators over the same labels side by side', async () => {
    const { svc, label, cwd } = await sampled()
    label('labels.jsonl', (stratum) => (stratum === 'failed' ? 'bad' : 'good'))
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
    const cases = report.cases.map((each: object) => ({
      ...each,
      ...{ result: 'passed', outcome: 'strong', reasons: [], annotator_version: '2.0.0' },
    }))
    const results = { ...report.results, failed: 0, passed: 62 }
    const other = { ...report, cases, results, verdict: 'passed', exit: 0 }
    writeFileSync(join(cwd, 'other.json'), JSON.stringify(other))
    const { code, out, err } = await svc([
      'report',
      'compare',
      'report.json',
      'other.json',
      '--labels',
      'labels.jsonl',
      '--show-all',
    ])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/labels {4}bad: 50 %/)
    expect(out).toMatch(/labels {4}OLD: true positive rate 100 %, true negative rate 100 %, κ 1\.00/)
    expect(out).toMatch(/labels {4}NEW: true positive rate 0 %, true negative rate 100 %, κ 0\.00/)
    const { json } = await svc(['report', 'compare', 'report.json', 'other.json', '--labels', 'labels.jsonl', '--json'])
    expect(json()).toMatchObject({
      labels: { old: { rates: { true_positive: 1 } }, new: { rates: { true_positive: 0 } } },
    })
  })

  it('say so if the annotator does not tell good from bad, and if a person chose the transcripts', async () => {
    const { check, label } = await sampled()
    label('labels.jsonl', (_, at) => (at % 2 === 0 ? 'bad' : 'good'))
    expect((await check('--labels', 'labels.jsonl')).out).toContain('this annotator does not tell good from bad here')
    label('labels.jsonl', () => 'bad', { stratum: null })
    expect((await check('--labels', 'labels.jsonl')).out).toContain('60 transcripts chosen by a person: no rates')
  })

  it('say how many labels are missing', async () => {
    const { check, label } = await sampled()
    label('labels.jsonl', (stratum, at) => (stratum === 'passed' && at % 2 === 0 ? 'unsure' : 'good'))
    expect((await check('--labels', 'labels.jsonl')).out).toMatch(
      /no rates yet: \d+ labels of transcripts that passed are missing/,
    )
  })

  it.each([
    ['of another schema', '{"schema":"svc/label@2"}', 'labels.jsonl:1: /schema expected "svc/label@1"'],
    ['that are no JSON', 'good', 'labels.jsonl:1: expected an object'],
  ])('%s end the command before any request', async (_, text, problem) => {
    const { check, asked, cwd, svc } = await sampled()
    const before = asked.length
    writeFileSync(join(cwd, 'labels.jsonl'), text)
    const { code, err } = await check('--labels', 'labels.jsonl')
    expect([code, err, asked.length]).toEqual([3, expect.stringContaining(problem), before])
    const compared = await svc(['report', 'compare', 'report.json', 'report.json', '--labels', 'labels.jsonl'])
    expect([compared.code, compared.err]).toEqual([3, expect.stringContaining(problem)])
  })

  it('must be there', async () => {
    const { check } = await sampled()
    const { code, err } = await check('--labels', 'none.jsonl')
    expect([code, err]).toEqual([3, expect.stringContaining('none.jsonl: no such file.')])
  })
})
