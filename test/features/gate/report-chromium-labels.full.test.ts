import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderSample, sampleReport } from '@svc/checks'
import type { Page } from 'puppeteer-core'
import { afterAll, describe, expect } from 'vitest'
import { labelShape } from '../../../packages/checks/src/labels/index.js'
import { caseOf, failedCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { openReport, press, startChromium, textOf, violations } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-labels-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

const turns = (content: string) => [{ role: 'user', content, line: 2, column: 3 }]
const report = reportOf([
  ...Array.from({ length: 3 }, (_, at) => failedCase({ path: `failed-${at}.json`, turns: turns(`Hello ${at}?`) })),
  ...Array.from({ length: 3 }, (_, at) => caseOf({ path: `passed-${at}.json`, turns: turns(`Thanks ${at}.`) })),
])
const sample = sampleReport(report, { size: 4 })

/** Saves the labels of a page as a person does, and reads the file. */
async function saved(page: Page, by: string): Promise<Record<string, unknown>[]> {
  const downloads = mkdtempSync(join(folder, 'saved-'))
  const session = await page.createCDPSession()
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads })
  await page.type('.save-bar input', by)
  await page.click('.save-bar button')
  const file = join(downloads, 'labels.jsonl')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), { timeout: 10_000 }).toBe(true)
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function withSample(binary: string, look: (page: Page, messages: string[]) => Promise<void>): Promise<void> {
  const file = join(folder, 'sample.html')
  writeFileSync(file, [...(await renderSample(sample))].join(''))
  const browser = await startChromium(binary)
  try {
    const page = await browser.newPage()
    const messages: string[] = []
    page.on('console', (message) => void messages.push(message.text()))
    page.on('pageerror', (error) => void messages.push(String(error)))
    await page.goto(pathToFileURL(file).href)
    await look(page, messages)
  } finally {
    await browser.close()
  }
}

describe('the page of a sample in Chromium', () => {
  itRuns(chromium(), 'labels transcripts by the keys g, b and u, and saves them with their part', async (binary) => {
    await withSample(binary, async (page, messages) => {
      expect(await textOf(page, '#case-title')).toEqual(['Transcript 1 of 4'])
      await press(page, 'b', 'j', 'g', 'j', 'u', 'j', 'g', 'g')
      expect(await textOf(page, '[role=status]')).toEqual(['3 of 4 labelled'])
      const lines = await saved(page, 'Jo')
      expect(lines.map(({ label, sha256, stratum, by }) => ({ label, sha256, stratum, by }))).toEqual(
        (['bad', 'good', 'unsure'] as const).map((label, at) => {
          const { case: drawn, stratum } = sample.cases[at] ?? expect.fail()
          return { label, sha256: drawn.sha256, stratum, by: 'Jo' }
        }),
      )
      for (const line of lines) expect(labelShape.safeParse(line).success).toBe(true)
      expect(messages).toEqual([])
    })
  })

  itRuns(chromium(), 'shows no verdict, and is read by everybody', async (binary) => {
    await withSample(binary, async (page) => {
      await press(page, 'g')
      // The data of the page are not shown.
      const seen = await page.$$eval('header, main', (found) => found.map((each) => each.textContent).join(' '))
      expect(seen).not.toMatch(/fail|pass|poor|strong|verdict/i)
      expect(await violations(page)).toEqual([])
    })
  })

  itRuns(chromium(), 'has its labels again when it is loaded again', async (binary) => {
    await withSample(binary, async (page) => {
      await press(page, 'b', 'j', 'g')
      await page.reload()
      expect(await textOf(page, '[role=status]')).toEqual(['2 of 4 labelled'])
      expect(await textOf(page, '#case-title')).toEqual(['Transcript 3 of 4'])
    })
  })
})

describe('a report in Chromium', () => {
  itRuns(chromium(), 'labels the open transcript, as one that a person chose', async (binary) => {
    await openReport(binary, folder, report, async (page, seen) => {
      expect(await page.$eval('.save-bar', (bar) => (bar as HTMLElement).hidden)).toBe(true)
      await press(page, 'g', 'j', 'Enter', 'b')
      expect(await page.$$eval('[aria-pressed=true]', (found) => found.map((each) => each.textContent))).toEqual([
        'b bad',
      ])
      const [line, ...others] = await saved(page, 'Jo')
      expect([line, others]).toEqual([expect.objectContaining({ label: 'bad', stratum: null, by: 'Jo' }), []])
      expect(await violations(page)).toEqual([])
      expect(seen.messages).toEqual([])
    })
  })
})
