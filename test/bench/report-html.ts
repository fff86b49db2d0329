import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { reportOf } from '../../packages/cli/src/checks/report-fixture.js'
import { html } from '../../packages/cli/src/reports/html.js'
import { chromium } from '../runtimes/cache.js'
import { manyCases } from '../runtimes/report-cases.js'
import { startChromium, writeReport } from '../runtimes/report-page.js'
import { goals } from './goals.js'
import { median } from './measure.js'
import { heading, remark, row } from './page.js'

const rounds = 7

/** The HTML report of a check: its shell, and how soon a large one can be used. */
export async function benchReportHtml(): Promise<void> {
  heading('HTML report of a check', `in Chromium, from a file; median of ${rounds}`)
  const shell = [...html(reportOf([]))].reduce((bytes, part) => bytes + Buffer.byteLength(part), 0)
  row('shell: a report of nothing', shell / 1_000, 'kB', { goal: goals.reportShell })
  const found = chromium()
  if ('missing' in found) return remark(`There is no Chromium here, so that no page was opened: ${found.missing}`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-report-'))
  const browser = await startChromium(found.binary)
  try {
    await opened(browser, folder, 1_000, 50)
    await opened(browser, folder, 10_000, 10)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, maxRetries: 3 })
  }
}

async function opened(browser: Browser, folder: string, cases: number, turns: number): Promise<void> {
  const url = writeReport(folder, manyCases(cases, turns, { baseline: true }))
  const megabytes = statSync(fileURLToPath(url)).size / 1e6
  const measured = { interactive: [] as number[], whole: [] as number[], search: [] as number[], open: [] as number[] }
  for (let round = -1; round < rounds; round++) {
    const page = await browser.newPage()
    // What compiles this file marks functions with a name that pages do not have.
    await page.evaluateOnNewDocument('globalThis.__name = (named) => named')
    await page.evaluateOnNewDocument(noteWhenItAnswers)
    await page.goto(url)
    const times = await timesOf(page)
    if (round >= 0) for (const name of names) measured[name].push(times[name])
    await page.close()
  }
  const what = `${cases} transcripts of ${turns} turns`
  const goal = cases === 1_000 ? goals.reportInteractive : undefined
  remark(`${what}, ${megabytes.toFixed(0)} MB`)
  row('until its list is drawn and a key moves in it', median(measured.interactive), 'ms', { goal })
  row('until all turns are read', median(measured.whole), 'ms')
  row('search in all turns', median(measured.search), 'ms')
  row('open the last transcript', median(measured.open), 'ms')
}

const names = ['interactive', 'whole', 'search', 'open'] as const
type Times = Record<(typeof names)[number], number>

/** Runs in the page before anything of it: presses a key in each frame until the list answers and has been drawn. */
function noteWhenItAnswers(): void {
  const answered = new Promise((resolve) => {
    const look = () => {
      const first = document.querySelector('[role=option]')
      if (first) dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
      if (!first || document.activeElement !== first) return void requestAnimationFrame(look)
      requestAnimationFrame(() => resolve(performance.now()))
    }
    requestAnimationFrame(look)
  })
  Object.assign(globalThis, { answered })
}

const timesOf = (page: Page): Promise<Times> =>
  page.evaluate(async () => {
    const interactive = await (globalThis as unknown as { answered: Promise<number> }).answered
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const timed = async (act: () => void) => {
      const from = performance.now()
      act()
      await drawn()
      return performance.now() - from
    }
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const field = document.querySelector<HTMLInputElement>('input[type=search]')
    const search = await timed(() => {
      if (field) field.value = 'invoice nowhere-to-be-found'
      field?.dispatchEvent(new Event('input'))
    })
    dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
    const open = await timed(() => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
      location.hash = `#${document.querySelectorAll('script[id^=turns-]').length}`
    })
    return { interactive, whole: navigation?.domContentLoadedEventEnd ?? Number.NaN, search, open }
  })
