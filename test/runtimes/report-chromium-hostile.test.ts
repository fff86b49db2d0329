import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, describe, expect } from 'vitest'
import type { CheckReport } from '../../packages/cli/src/checks/report.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../packages/cli/src/checks/report-fixture.js'
import { chromium } from './cache.js'
import { itRuns } from './it-runs.js'
import { openReport } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

const calls = (n: number) => `globalThis.ran=(globalThis.ran??0)+1;alert(${n})`
const attack = [
  `</script><script>${calls(1)}</script>`,
  `<!--<script>${calls(2)}`,
  `<img src=x onerror="${calls(3)}">`,
  `</style><svg onload="${calls(4)}">`,
  `</noscript></template></title><iframe srcdoc="<script>${calls(5)}</script>"></iframe>`,
  `"'\`\${${calls(6)}}{{constructor.constructor('${calls(7)}')()}}`,
  'javascript:alert(8) \u2028\u2029\u202e\u0000\ud800 __proto__',
].join(' ')

const turns = [
  { role: attack, content: `Before. ${attack} After.`, line: 1, column: 1 },
  { role: '__proto__', content: attack, line: null, column: null },
]
const signals = [1, 2, 99, null].map((turn) => ({ key: attack, evidence: attack, turn, line: 1, column: 1 }))
const summary = {
  ...{
    title: attack,
    summary: attack,
    keywords: [attack],
    quality_concerns: attack,
    user_intent: attack,
    domain: attack,
  },
}
const all = {
  path: attack,
  name: attack,
  outcome: attack,
  before: attack,
  outcome_notes: attack,
  votes: [attack, attack],
}
const versions = { annotator_version: attack, taxonomy_version: attack }

const hostile = (): CheckReport => ({
  ...reportOf(
    [
      failedCase({
        ...{ ...all, ...versions, summary, signals, turns, flaky: true, change: 'new' },
        reasons: (['forbidden', 'required'] as const).map((rule) => ({ rule, signal: attack, known: true })),
      }),
      missingCase({ name: attack, gap: { why: 'not annotated', detail: attack, temporary: true } }),
      caseOf({
        ...all,
        ...versions,
        outcome: '__proto__',
        signals: [{ key: '__proto__', evidence: '', turn: 1, line: null, column: null }],
      }),
    ],
    {
      annotator: attack,
      losses: [{ code: 'dropped', what: attack, why: attack, count: 1 }],
      redacted: { [attack]: 1 },
      baseline: {
        ...{
          path: attack,
          missing: [{ path: attack, record: 1, part: 2, name: attack, outcome: attack }],
          counts: { new: 1, worse: 0, same: 0, better: 0 },
        },
        ...{ edited: 1, stale: attack, updated: true },
      },
    },
  ),
  line: attack,
})

/** The names of all elements, and of all attributes, that are in a page. */
const markup = (page: Page) =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll('*')]
    const attributes = found.flatMap((each) => each.getAttributeNames())
    return [...new Set([...found.map(({ localName }) => localName), ...attributes])]
  })

const isActive = (name: string) => /^(on|iframe|img|object|embed|src|template)/.test(name)

describe('a report in which every text is hostile', () => {
  itRuns(chromium(), 'runs nothing, asks for nothing, and shows the text as text', async (binary) => {
    await openReport(binary, folder, hostile(), async (page, seen) => {
      const names = new Set<string>()
      const look = async () => {
        for (const name of await markup(page)) names.add(name)
      }
      await look()
      for (const key of ['Enter', 'n', 'n', 'n', 'n', 'j', 'j', 'Escape', '?', 'Escape'] as const) {
        await page.keyboard.press(key)
        await look()
      }
      await page.keyboard.press('Home')
      await page.evaluate(() => {
        location.hash = '#1'
      })
      await page.waitForSelector('.turn mark')
      expect(await page.$eval('.turn .content', (content) => content.textContent)).toBe(turns[0]?.content)
      expect([...names].filter(isActive)).toEqual([])
      expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined()
      expect(seen.messages).toEqual([])
      expect(seen.requests).toEqual([])
    })
  })

  itRuns(chromium(), 'is as harmless without its script', async (binary) => {
    await openReport(binary, folder, hostile(), async (page, seen) => {
      await page.setJavaScriptEnabled(false)
      await page.reload()
      const { colors } = await seen.screenshot()
      expect(colors).toBeGreaterThan(100)
      expect(await page.$$eval('noscript table tbody tr', (rows) => rows.length)).toBe(2)
      expect((await markup(page)).filter(isActive)).toEqual([])
      expect(seen.messages).toEqual([])
      expect(seen.requests).toEqual([])
    })
  })

  itRuns(chromium(), 'could run nothing even if its text became markup', async (binary) => {
    await openReport(binary, folder, reportOf([caseOf()]), async (page, seen) => {
      const thrown = await page.evaluate(() => {
        const tried: string[] = []
        const attempt = (act: () => void) => {
          try {
            act()
            tried.push('done')
          } catch (error) {
            tried.push((error as Error).name)
          }
        }
        attempt(() => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'))
        attempt(() => document.body.setAttribute('onclick', 'globalThis.ran = 1'))
        const script = document.createElement('script')
        attempt(() => script.append('globalThis.ran = 1'))
        attempt(() => document.body.append(script))
        const image = document.createElement('img')
        image.src = 'https://example.com/x.png'
        document.body.append(image)
        document.body.click()
        return { tried, ran: (globalThis as { ran?: number }).ran }
      })
      expect(thrown.ran).toBeUndefined()
      expect(thrown.tried.slice(0, 2)).toEqual(['TypeError', 'TypeError'])
      expect(seen.requests.filter((url) => !url.startsWith('https://example.com'))).toEqual([])
      expect(seen.messages.join()).toContain('Content Security Policy')
    })
  })
})
