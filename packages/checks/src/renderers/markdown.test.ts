import fc from 'fast-check'
import { marked, type Token } from 'marked'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { hostileCase, hostileText, signs } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import type { BaselineReport, CheckReport } from '../report/index.js'
import { markdownWithin } from './markdown.js'

const textOf = (report: CheckReport) => [...markdownWithin(report, Infinity)].join('')
const bytes = (text: string) => Buffer.byteLength(text)

const baselineOf = (more: Partial<BaselineReport> = {}): BaselineReport => ({
  ...{ path: 'baseline.json', missing: [], counts: { new: 0, worse: 0, same: 0, better: 0 }, edited: 0, sha256: null },
  ...{ stale: null, updated: false, ...more },
})

/** The types of the tokens of a page, its text outside of code, and its code. */
function partsOf(page: string): { types: Set<string>; words: string; code: string[] } {
  const types = new Set<string>()
  const [words, code]: [string[], string[]] = [[], []]
  const visit = (token: Token) => {
    types.add(token.type)
    if (token.type === 'codespan') code.push(token.text as string)
    if (token.type === 'html')
      expect(token.raw.trim()).toMatch(/^(<details><summary>[\w ,]+: \d+<\/summary>|<\/details>)$/)
    if (token.type === 'text' && !('tokens' in token && token.tokens)) words.push(token.raw)
  }
  void marked.walkTokens(marked.lexer(page), visit)
  return { types, words: words.join(' '), code }
}

const ours = ['heading', 'paragraph', 'space', 'text', 'codespan', 'strong', 'list', 'list_item', 'table', 'html']

describe('a Markdown report', () => {
  it('begins with the verdict, and counts outcomes from the worst and signals from the most frequent', () => {
    const signals = ['unresolved', 'rude'].map((key) => ({ key, evidence: 'x', turn: 1, line: 1, column: 1 }))
    const report = reportOf([caseOf(), failedCase({ signals }), failedCase({ outcome: 'critical' })])
    const page = textOf(report)
    expect(
      page.startsWith(`## svc check: failed\n\n\`${report.line}\`\n\nAnnotator \`structural\`; version \`1.0.0\``),
    ).toBe(true)
    expect(page).toContain('|---|--:|\n| `critical` | 1 |\n| `poor` | 1 |\n| `strong` | 1 |\n\n')
    expect(page).toContain('|---|--:|\n| `unresolved` | 2 |\n| `rude` | 1 |\n\n')
  })

  it('groups failed transcripts by outcome, with the evidence and its place', () => {
    const page = textOf(reportOf([failedCase(), failedCase({ outcome: 'critical', name: 'Other' })]))
    expect(page.indexOf('### Failed: `critical` (1)')).toBeLessThan(page.indexOf('### Failed: `poor` (1)'))
    expect(page).toContain('- **`Order 7`** at `conversations/order.json:1:1`: `poor`\n')
    expect(page).toContain(
      '  - `unresolved` at `conversations/order.json:3:5`: `I cannot help with that.`\n  - notes: `Never answered.`\n',
    )
  })

  it('shows rates, gaps, and changes against the baseline', () => {
    const policy = { ...defaultPolicy, rates: [{ of: { outcome: 'poor' as const }, max: 0.9 }] }
    const missing = [{ path: 'd.json', record: 2, part: 1, name: 'Old', outcome: 'poor' }]
    const cases = [
      caseOf({ change: 'new' }),
      failedCase({ change: 'worse', before: 'mixed', flaky: true, votes: ['poor', 'strong'] }),
      missingCase({ path: 'c.json', line: null }),
      failedCase({ result: 'known', change: 'same', before: 'poor' }),
      caseOf({ result: 'ignored', outcome: 'indeterminate', change: 'same', before: 'indeterminate' }),
    ]
    const page = textOf(reportOf(cases, { policy, baseline: baselineOf({ missing, stale: 'it is old' }) }))
    for (const part of [
      '- within limit: `poor or worse: 2 of 3, 66.7 %, at most 90 %`\n',
      '### Not judged (1)\n\n- **`Order 7`** at `c.json`: not annotated: `The service answered 503.`\n',
      '<details><summary>Known from the baseline: 1</summary>\n\n- **`Order 7`**',
      '<details><summary>Indeterminate, accepted by the policy: 1</summary>',
      '<details><summary>Flaky: 1</summary>\n\n- **`Order 7`** at `conversations/order.json:1:1`: `poor`, `strong`\n',
      '<summary>Other than in the baseline: 1</summary>\n\n- **`Order 7`** at `conversations/order.json:1:1`: `mixed`, now `poor`\n',
      '<details><summary>Not in the baseline: 1</summary>',
      '<summary>In the baseline but not found: 1</summary>\n\n- `Old` in `d.json record 2`: `poor`\n',
    ])
      expect(page).toContain(part)
  })

  it('says that a baseline is out of date only if nothing fails', () => {
    const baseline = baselineOf({ stale: 'it is old' })
    expect(textOf(reportOf([caseOf()], { baseline }))).toContain(
      'The baseline `baseline.json` is out of date: `it is old`.',
    )
    for (const each of [failedCase(), missingCase()])
      expect(textOf(reportOf([caseOf(), each], { baseline }))).not.toContain('out of date')
  })

  it('a Markdown report is one of headings, lists, tables and code, whatever a service, a file or a path holds', () => {
    fc.assert(
      fc.property(hostileCase, hostileText, (each, text) => {
        const missing = [{ path: text, record: 1, part: 1, name: each.name, outcome: text }]
        const baseline = baselineOf({ path: text, missing, stale: text })
        const { types, words } = partsOf(textOf(reportOf([each], { annotator: each.name, baseline })))
        expect([...types].filter((type) => !ours.includes(type))).toEqual([])
        expect(words).toMatch(/^[A-Za-z0-9 .,;:()_\n-]*$/)
      }),
      { numRuns: runs(60) },
    )
  })

  it.each(signs)('shows %j as it is, or as its code', (sign) => {
    const signals = [{ key: 'odd', evidence: `x${sign}y`, turn: 1, line: 1, column: 1 }]
    const { code } = partsOf(textOf(reportOf([failedCase({ signals })])))
    const shown = code[code.indexOf('odd', code.indexOf('odd') + 1) + 2]
    const hidden =
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      /[\0-\u0008\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]|##\[/u
    if (hidden.test(sign)) expect(shown).toMatch(/^x#?\\x/)
    else expect(shown).toBe(`x${sign}y`.replace(/\s*[\r\n\t]+\s*/g, ' '))
  })
})

describe('a Markdown report in so many bytes', () => {
  const many = Array.from({ length: 300 }, (_, at) => failedCase({ name: `Größe 🙂 ${at}`, flaky: at % 3 === 0 }))
  const report = reportOf([...many, missingCase()])

  it('a Markdown report in so many bytes is complete if it fits', () => {
    expect([...markdownWithin(report, 1e6)].join('')).toBe(textOf(report))
  })

  it('stays within its limit, never cuts a character, an item or a fold, and counts omitted items', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes(textOf(report)) + 500 }), (room) => {
        const page = [...markdownWithin(report, room)].join('')
        expect(bytes(page)).toBeLessThanOrEqual(room)
        expect(page).not.toContain('\ufffd')
        expect(page.split('<details>')).toHaveLength(page.split('</details>').length)
        if (page !== textOf(report) && room > 200) expect(page).toMatch(/Left out, for .*: \d+ entr(y|ies)\.\n$/)
      }),
    )
  })

  it('prints how many items of a list are not shown', () => {
    const page = [...markdownWithin(report, 20_000)].join('')
    const shown = page.split('- **`Größe').length - 1
    expect(shown).toBeGreaterThan(20)
    expect(page).toContain(`- and ${300 - shown} more\n`)
  })
})
