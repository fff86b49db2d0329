import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, describe, expect } from 'vitest'
import type { CheckReport, ReportCase } from '../../../packages/checks/src/report/index.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { manyCases } from './report-cases.js'
import { fragment, openReport, press, type Seen, textOf, violations } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

const withReport = (binary: string, report: CheckReport, look: (page: Page, seen: Seen) => Promise<void>) =>
  openReport(binary, folder, report, look)

const turns = [
  { role: 'user', content: 'Where is my order?', line: 2, column: 3 },
  { role: 'assistant', content: 'Well. I cannot\nhelp with that. Sorry.', line: 3, column: 5 },
]
const at = (turn: number | null, key: string, evidence: string) => ({ key, evidence, turn, line: 3, column: 5 })
const conversation = failedCase({
  name: 'Order 9',
  turns,
  ...{ flaky: true, votes: ['poor', 'strong', 'poor'], change: 'worse', before: 'strong' },
  signals: [
    at(2, 'unresolved', 'I cannot help with that.'),
    at(1, 'paraphrased', 'asks for an order'),
    at(null, 'nowhere', 'in no turn'),
    at(99, 'far', 'after the end'),
  ],
})
const report = reportOf([
  caseOf({ name: 'Fine', turns }),
  conversation,
  missingCase({ name: 'Gone', turns }),
  failedCase({ turns }),
])

/** As the address names a transcript. */
const linkTo = ({ sha256, occurrence }: ReportCase): string =>
  `#sha=${sha256?.slice(0, 16)}${occurrence > 1 ? `-${occurrence}` : ''}`
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.split('\n')[0])
describe('a report in Chromium', () => {
  itRuns(chromium(), 'draws itself, asks for nothing and reports no error', async (binary) => {
    await withReport(binary, manyCases(60, 8, { baseline: true }), async (page, seen) => {
      expect(await textOf(page, '[role=status]')).toContain('60 transcripts')
      const { width, height, colors } = await seen.screenshot()
      expect([width, height]).toEqual([1280, 860])
      // A blank page has one colour.
      expect(colors).toBeGreaterThan(100)
      expect(seen.requests).toEqual([])
      expect(seen.messages).toEqual([])
    })
  })

  itRuns(chromium(), 'is read by everybody: axe finds nothing serious', async (binary) => {
    await withReport(binary, manyCases(60, 8, { baseline: true }), async (page) => {
      for (const scheme of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        expect(await violations(page), scheme).toEqual([])
        await page.select('select[aria-label=Group]', 'folder')
        expect(await violations(page), `${scheme}, groups`).toEqual([])
        await page.select('select[aria-label=Group]', '')
        await press(page, 'n')
        await page.waitForSelector('mark:focus')
        expect(await violations(page), `${scheme}, a transcript`).toEqual([])
        await press(page, 'Escape', '?')
        expect(await violations(page), `${scheme}, help`).toEqual([])
        await press(page, 'Escape')
      }
      await page.setViewport({ width: 390, height: 844 })
      expect(await violations(page), 'narrow').toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    })
    await withReport(binary, reportOf([]), async (page) => expect(await violations(page), 'empty').toEqual([]))
  })

  itRuns(chromium(), 'is walked through by the keyboard alone', async (binary) => {
    await withReport(binary, report, async (page, seen) => {
      await press(page, '/')
      await page.keyboard.type('order')
      expect(await textOf(page, '[role=status]')).toContain('4 of 4 transcripts')
      await page.keyboard.type(' 9')
      expect(await textOf(page, '[role=option] .name')).toEqual(['Order 9'])
      expect(await textOf(page, '[role=status]')).toContain('1 of 4 transcripts')
      await press(page, 'Escape')
      expect(await page.$eval('[role=option]:focus .name', (name) => name.textContent)).toBe('Order 9')
      await press(page, 'Escape')
      expect(await textOf(page, '[role=option] .name')).toEqual(['Order 9', 'Order 7', 'Gone', 'Fine'])

      await press(page, 'j', 'ArrowDown', 'k')
      expect(await page.$eval('[role=option]:focus .name', (name) => name.textContent)).toBe('Order 7')
      await press(page, 'k', 'Enter')
      expect(await focused(page)).toBe('Order 9')
      expect(await fragment(page)).toBe(linkTo(conversation))
      await press(page, 'j')
      expect(await focused(page)).toBe('Order 7')
      await press(page, 'Escape')
      expect(await page.$eval('[role=option]:focus .name', (name) => name.textContent)).toBe('Order 7')
      expect(await page.$('article')).toBeNull()
      await press(page, 'o')
      expect(await page.$eval(':focus', (overview) => overview.id)).toBe('overview')

      await press(page, '?')
      expect(await page.$eval('dialog', (dialog) => dialog.open)).toBe(true)
      expect([await focused(page), await textOf(page, 'dialog h2')]).toEqual(['Close', ['Shortcuts']])
      await press(page, 'j', 'Escape')
      expect(await page.$eval('dialog', (dialog) => dialog.open)).toBe(false)
      expect(seen.messages).toEqual([])
    })
  })

  itRuns(chromium(), 'marks the evidence at its turn, and shows what stands at none', async (binary) => {
    await withReport(binary, report, async (page) => {
      await press(page, 'n')
      expect(await page.$eval('#case-title', (title) => title.textContent)).toBe('Order 9')
      expect(await textOf(page, '.finding .finding-head')).toEqual([
        expect.stringContaining('turn 2'),
        expect.stringContaining('turn 1'),
        expect.stringContaining('names no turn'),
        expect.stringContaining('turn 99 is none of the 2 that were sent'),
      ])
      expect(await textOf(page, '.finding .place code')).toContain('conversations/order.json:3:5')
      expect(await textOf(page, '.votes li')).toEqual(['▼poor', '▲strong', '▼poor'])
      expect(await textOf(page, '.state')).toEqual([
        expect.stringMatching(/failed[\s\S]*strong[\s\S]*poor[\s\S]*worse[\s\S]*flaky/),
      ])

      const walked = [await focused(page)]
      for (let step = 0; step < 4; step++) {
        await press(page, 'n')
        walked.push(await focused(page))
      }
      // Those without a turn stand first; then the turns in their order; then the next transcript.
      expect(walked).toEqual(
        ['⚑nowhere', '⚑far', '1', 'I cannot', 'I cannot'].map((text) => expect.stringContaining(text)),
      )
      expect(await page.$eval('#case-title', (title) => title.textContent)).toBe('Order 7')
      await press(page, 'p')
      expect(await page.$eval('.turn mark:focus', (mark) => mark.textContent)).toBe('I cannot\nhelp with that.')
      expect(
        await page.$eval('.turn mark:focus', (mark) => mark.closest('li')?.querySelector('.nr')?.textContent),
      ).toBe('2')
      expect(await textOf(page, '.turn.whole .content')).toEqual(['Where is my order?'])
    })
  })

  itRuns(
    chromium(),
    'shows what is pressed in the overview, and has an address for each transcript',
    async (binary) => {
      await withReport(binary, manyCases(60, 4, { baseline: true }), async (page) => {
        const pressed = async (text: string) =>
          (await page.$(`xpath/.//button[starts-with(normalize-space(.), "${text}")]`))?.click()
        await pressed('✕critical')
        const outcomes = await textOf(page, '[role=option] .outcome')
        expect([...new Set(outcomes)]).toEqual(['✕critical'])
        expect(await page.$eval('select[aria-label=Outcome]', (select) => select.value)).toBe('=critical')
        await page.keyboard.press('Enter')
        const [hash, title] = [await page.evaluate(() => location.hash), await focused(page)]
        await page.reload()
        expect(await textOf(page, '#case-title')).toEqual([title])
        await page.goBack()
        await page.waitForSelector('[data-shown=list]')
        await page.evaluate((to) => location.assign(to), hash)
        await page.waitForSelector('#case-title')
        expect(await textOf(page, '#case-title')).toEqual([title])
      })
    },
  )

  itRuns(chromium(), 'shows why transcripts are not judged, and groups by folder', async (binary) => {
    await withReport(binary, manyCases(60, 2), async (page) => {
      const gaps = await textOf(page, '[role=option] .result-not-judged')
      const [panel] = await textOf(page, '.panel:has(> h3)').then((all) =>
        all.filter((text) => text.startsWith('Not judged')),
      )
      expect(panel).toContain(`indeterminate${gaps.length} of ${gaps.length}100 %`)
      await (await page.$('xpath/.//button[.//*[text()="indeterminate"]]'))?.click()
      expect(await textOf(page, '[role=status]')).toContain(`${gaps.length} of 60 transcripts: indeterminate`)
      await page.select('select[aria-label=Group]', 'folder')
      const headings = await textOf(page, '.group')
      expect(new Set(headings).size).toBe(headings.length)
      expect(headings[0]).toMatch(/^conversations\/\w+\/2026-\d\d0 of \d+ transcripts? failed, \d+ not judged$/)
      await press(page, '/')
      await page.keyboard.type('no such word')
      expect(await textOf(page, '.cases')).toEqual(['No transcript matches.'])
    })
  })

  itRuns(chromium(), 'shows findings first, and unfolds the rest on paper only', async (binary) => {
    await withReport(binary, report, async (page) => {
      await press(page, 'n')
      const parts = await page.$$eval('.case-body > *', (found) =>
        found.map((each) => each.className || each.textContent),
      )
      expect(parts).toEqual(['findings', 'annotation', 'Turns', 'turns'])
      const isOpen = () => page.$eval('.annotation', (details) => (details as HTMLDetailsElement).open)
      const before = await isOpen()
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      const onPaper = await isOpen()
      await page.evaluate(() => dispatchEvent(new Event('afterprint')))
      expect([before, onPaper, await isOpen()]).toEqual([false, true, false])
    })
  })

  itRuns(chromium(), 'draws no bar or number outside of its place', async (binary) => {
    const rates = [
      { of: { outcome: 'poor' as const }, max: 0.05 },
      { of: { outcome: 'critical' as const }, max: 1 },
    ]
    const many = manyCases(60, 2)
    const drawn = reportOf(many.cases, { policy: { ...many.policy, rates } })
    await withReport(binary, drawn, async (page) => {
      await page.$$eval('details', (all) => {
        for (const details of all) details.setAttribute('open', '')
      })
      for (const width of [1280, 390]) {
        await page.setViewport({ width, height: 900 })
        const outside = await page.$$eval('.overview svg', (drawings) =>
          drawings.flatMap((drawing) => {
            const box = drawing.getBoundingClientRect()
            return [...drawing.querySelectorAll('rect, text, line')]
              .filter((each) => {
                const { left, right } = each.getBoundingClientRect()
                return left < box.left - 2 || right > box.right + 2
              })
              .map((each) => each.outerHTML)
          }),
        )
        expect(outside).toEqual([])
      }
      expect(await textOf(page, '.limit text')).toContain('at most 5 %')
    })
  })

  itRuns(chromium(), 'prints all transcripts, and tells what failed where scripts are off', async (binary) => {
    await withReport(binary, manyCases(300, 2), async (page, seen) => {
      await page.emulateMediaType('print')
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      expect((await textOf(page, '[role=option]')).length).toBe(300)
      expect(await page.$eval('.controls', (each) => getComputedStyle(each).display)).toBe('none')
      expect(await page.$eval('.shown-on-paper', (each) => each.checkVisibility() && each.textContent)).toBe(
        '300 of 300 transcripts',
      )
      await page.emulateMediaType('screen')
      await page.setJavaScriptEnabled(false)
      await page.reload()
      const shown = (selector: string) =>
        page.$eval(selector, (each) => (each.checkVisibility() ? each.textContent : ''))
      expect(await shown('h1')).toMatch(/^failed: \d+ of 300 transcripts are poor or worse/)
      expect(await shown('table tbody tr')).toContain('the outcome is')
      expect(seen.messages).toEqual([])
    })
  })

  itRuns(chromium(), 'cuts a very long turn until it is asked for, and marks what is searched for', async (binary) => {
    const long = { role: 'tool', content: 'A tool said much. '.repeat(1_000), line: 1, column: 1 }
    await withReport(binary, reportOf([failedCase({ turns: [long, ...turns] })]), async (page) => {
      await press(page, '/')
      await page.keyboard.type('order tool')
      await press(page, 'Enter', 'Enter')
      const height = () => page.$eval('.turn .content', (content) => content.clientHeight)
      expect(await page.evaluate(() => CSS.highlights.get('search')?.size)).toBeGreaterThan(900)
      const cut = await height()
      await (await page.$('.turn > button'))?.click()
      expect(await height()).toBeGreaterThan(2 * cut)
      expect(await textOf(page, '.turn > button')).toEqual(['Show less'])
    })
  })
})
