import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { manyCases } from './report-cases.js'
import { openReport, press, textOf } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

describe('the layout of a report in Chromium', () => {
  itRuns(chromium(), 'prints every finding with its evidence, also those that a screen leaves out', async (binary) => {
    const evidence = Array.from({ length: 7 }, (_, nth) => `evidence number ${nth}`)
    const many = failedCase({
      outcome_notes: '',
      signals: evidence.map((text) => ({ key: 'unresolved', evidence: text, turn: 2, line: 3, column: 5 })),
    })
    await openReport(binary, folder, reportOf([many, missingCase()]), async (page) => {
      const visible = () =>
        page.$$eval('[role=option] .found *', (all) =>
          all
            .filter((each) => each.checkVisibility())
            .map((each) => each.textContent)
            .join('\n'),
        )
      expect(await visible()).toContain('evidence number 2')
      expect(await visible()).not.toContain('evidence number 3')
      expect(await visible()).toContain('and 4 more')
      await page.emulateMediaType('print')
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      for (const text of evidence) expect(await visible()).toContain(text)
      expect(await visible()).toContain('not annotated: The service answered 503.')
      expect(await visible()).not.toContain('more')
      const shown = await page.$$eval('button, input, select', (all) => all.filter((each) => each.checkVisibility()))
      const inOverview = await page.$$eval('.overview button', (all) => all.filter((each) => each.checkVisibility()))
      expect(shown.length).toBe(inOverview.length)
    })
  })

  itRuns(chromium(), 'shows findings over the whole width, and charts below them', async (binary) => {
    await openReport(binary, folder, manyCases(120, 4, { baseline: true }), async (page) => {
      for (const width of [1400, 390]) {
        await page.setViewport({ width, height: 900 })
        const [list, charts] = await page.$$eval('.cases, .overview', (all) =>
          all.map((each) => each.getBoundingClientRect().toJSON()),
        )
        expect([list.left, list.width, charts.left]).toEqual([0, width, 0])
        expect(charts.top).toBeGreaterThanOrEqual(list.bottom)
      }
      expect((await textOf(page, '[role=option]')).length).toBe(50)
      expect((await textOf(page, '[role=option] .found'))[0]).toMatch(/⚑\w+“[^”]+”turn \d/)
      await page.$eval('.more', (more) => (more as HTMLElement).click())
      await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 120)
      expect(await page.$eval('.more', (more) => more.checkVisibility())).toBe(false)
      expect(await page.$eval('[role=option]:focus', (row) => row.parentElement?.children[50] === row)).toBe(true)
    })
  })

  itRuns(chromium(), 'reaches every filter on a phone, negates one, and says why an outcome fails', async (binary) => {
    const report = reportOf([failedCase({ outcome_notes: 'It never said why.' }), caseOf({ path: 'b.json' })])
    await openReport(binary, folder, report, async (page) => {
      await page.setViewport({ width: 390, height: 900 })
      const areReachable = await page.$$eval('.controls select', (all) =>
        all.map((each) => {
          const { left, right } = each.getBoundingClientRect()
          return each.checkVisibility() && left >= 0 && right <= innerWidth
        }),
      )
      expect(areReachable.length).toBeGreaterThan(3)
      expect(areReachable).not.toContain(false)
      expect((await textOf(page, '[role=option] .found'))[0]).toMatch(/^“It never said why\.”⚑/)
      await page.select('.controls select[aria-label=Outcome]', '!poor')
      expect(await textOf(page, '[role=option] .name')).toEqual(['Order 7'])
      expect(await page.evaluate(() => location.hash)).toBe('#outcome=poor&not=outcome')
      await page.select('.controls select[aria-label=Outcome]', '')
      for (const rows of [1, 1, 2]) {
        await page.click('.chip')
        expect((await textOf(page, '[role=option]')).length).toBe(rows)
      }
    })
  })

  itRuns(chromium(), 'keeps the bars of a card on one line, and names and paths whole', async (binary) => {
    const key = 'a_signal_with_a_name_that_is_longer_than_a_card_is_wide_on_a_telephone'
    const path = 'exports/a-customer/2026/november/a-folder-with-a-long-name/conversation-with-a-long-name.jsonl'
    const url = `https://example.com/${'no-space/'.repeat(40)}`
    const long = failedCase({
      path,
      signals: [{ key, evidence: url, turn: 1, line: 3, column: 5 }],
      turns: [{ role: 'user', content: url, line: 1, column: 1 }],
    })
    const { cases } = manyCases(40, 4)
    await openReport(binary, folder, reportOf([long, ...cases]), async (page) => {
      for (const width of [1400, 800, 390]) {
        await page.setViewport({ width, height: 900 })
        const starts = await page.$$eval('.counts', (lists) =>
          lists.map(
            (list) =>
              new Set([...list.querySelectorAll('.meter')].map((each) => each.getBoundingClientRect().left)).size,
          ),
        )
        expect(new Set(starts), `${width}`).toEqual(new Set([1]))
        expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBe(width)
        const ends = await page.$$eval('.case .where .file', (files) =>
          files.map((file) => {
            const box = file.closest('.where')?.getBoundingClientRect()
            const { left, right, width } = file.getBoundingClientRect()
            return {
              text: file.textContent,
              isInside: width > 0 && left >= (box?.left ?? 0) && right <= (box?.right ?? 0) + 1,
            }
          }),
        )
        expect(ends.filter(({ isInside }) => !isInside)).toEqual([])
        expect(ends.map(({ text }) => text)).toContain(
          '/a-folder-with-a-long-name/conversation-with-a-long-name.jsonl:1:1',
        )
      }
      await press(page, 'n')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    })
  })
})
