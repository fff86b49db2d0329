import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { attack, reportSaying } from '../../test/fixtures/hostile-report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import type { CheckReport } from '../report/index.js'
import { html } from './html.js'
import { loadApp } from './page.js'

const app = await loadApp()
const pageOf = (report: CheckReport): string => [...html(report, app)].join('')
const empty = pageOf(reportOf([]))

/** Every start tag of a page, as a browser finds them: what stands in a script is no tag. */
const tagsOf = (page: string): string[] =>
  page.replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, '$1').match(/<[a-z][^>]*>/g) ?? []

const block = (page: string, id: string): unknown =>
  JSON.parse(new RegExp(`<script type="application/json" id="${id}">([^<]*)</script>`).exec(page)?.[1] ?? '')

describe('a page of a report', () => {
  it('a page of a report has a shell of at most 60 kB', () => {
    expect(Buffer.byteLength(empty)).toBeLessThanOrEqual(60_000)
  })

  it('refers to no external resource', () => {
    const page = pageOf(reportOf([failedCase({ turns: [] }), missingCase()]))
    const links = tagsOf(page).flatMap((tag) => [...tag.matchAll(/\b(?:src|href|action|data|poster)="([^"]*)"/g)])
    expect(links.map(([, link]) => link)).toEqual(['data:,'])
    expect(page).not.toMatch(/@import|\burl\(|<(iframe|object|embed|base|form)\b/)
    // Neither the name of SVG nor that of the service is fetched.
    expect(page.replaceAll(/http:\/\/www\.w3\.org\/2000\/svg|https:\/\/svc\.test/g, '')).not.toMatch(/https?:\/\//)
  })

  it('allows only its own script and its own style', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(empty)?.[1] ?? ''
    const hash = (name: string) => {
      const [, text = ''] = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(empty) ?? []
      expect(text.length).toBeGreaterThan(1_000)
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }
    const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]))
    expect(rules).toMatchObject({
      'default-src': ["'none'"],
      'script-src': [hash('script')],
      'style-src': [hash('style')],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'require-trusted-types-for': ["'script'"],
    })
    expect(policy).not.toContain('unsafe')
    expect(tagsOf(empty).filter((tag) => /\s(on\w+|style)=/.test(tag))).toEqual([])
  })

  it('a page of a report has the same tags for any content', () => {
    const report = reportSaying(attack)
    const page = pageOf(report)
    expect(tagsOf(page)).toEqual(tagsOf(pageOf(reportSaying('Hello.'))))
    expect(block(page, 'cases')).toEqual(report.cases.map(({ turns: _, ...each }) => each))
    expect(block(page, 'turns-0')).toEqual([
      [attack, `Before. ${attack} After.`, 1, 1],
      ['__proto__', attack, null, null],
    ])
    for (const power of ['\u0000', '\u2028', '\u202e']) expect(page).not.toContain(power)
  })

  it('contains the report, its cases in order, and the turns of each case separately', () => {
    const turns = [
      { role: 'user', content: 'Where is it?', line: 2, column: 3 },
      { role: 'assistant', content: 'I cannot help with that.', line: null, column: null },
    ]
    const report = reportOf([failedCase({ turns }), missingCase(), caseOf({ name: 'Third', turns: [] })])
    const page = pageOf(report)
    const { cases, ...rest } = report
    expect(block(page, 'report')).toEqual(JSON.parse(JSON.stringify(rest)))
    expect(block(page, 'cases')).toEqual(cases.map(({ turns: _, ...each }) => each))
    expect(block(page, 'turns-0')).toEqual([
      ['user', 'Where is it?', 2, 3],
      ['assistant', 'I cannot help with that.', null, null],
    ])
    expect(page).not.toContain('id="turns-1"')
    expect(block(page, 'turns-2')).toEqual([])
  })

  it('a page of a report is written in parts with at most one transcript each', () => {
    const turns = [{ role: 'user', content: 'x'.repeat(10_000), line: 1, column: 1 }]
    const parts = [...html(reportOf(Array.from({ length: 50 }, () => failedCase({ turns }))), app)]
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(50_000)
  })

  it('a page of a report has the same bytes for the same report', () => {
    const report = reportOf([failedCase({ turns: [] }), missingCase()])
    expect(pageOf(report)).toBe(pageOf(structuredClone(report)))
  })
})

describe('without a script a page', () => {
  const plain = (report: CheckReport) =>
    (pageOf(report).split('<script')[0] ?? '')
      .replace(/<style>.*<\/style>/s, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')

  it('shows the verdict, and each transcript that failed or was not judged', () => {
    const text = plain(
      reportOf([failedCase({ before: 'strong' }), missingCase({ name: 'Gone' }), caseOf({ name: 'Fine' })]),
    )
    expect(text).toContain('failed: 1 of 3 transcripts is poor or worse; 1 of 3 not judged')
    expect(text).toContain('strong → poor Order 7 conversations/order.json:1:1 the outcome is poor')
    expect(text).toContain('conversations/order.json:3:5 unresolved: “I cannot help with that.”')
    expect(text).toContain('Gone conversations/order.json:1:1 not annotated: The service answered 503.')
    expect(text).not.toContain('Fine')
  })

  it('a page without a script has no table if nothing failed', () => {
    expect(pageOf(reportOf([caseOf()]))).not.toContain('<table>')
    expect(plain(reportOf([]))).toContain('could not judge: no transcripts')
  })
})
