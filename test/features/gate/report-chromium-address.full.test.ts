import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { manyCases } from './report-cases.js'
import { fragment, openReport, press, textOf } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

describe('the address of a report in Chromium', () => {
  itRuns(chromium(), 'has the filter in its address, and goes back and forward with it', async (binary) => {
    await openReport(binary, folder, manyCases(60, 4, { baseline: true }), async (page) => {
      const status = async () => (await textOf(page, '.shown-count'))[0]
      const all = await status()
      await (await page.$('.chip ::-p-text(failed)'))?.click()
      expect(await fragment(page)).toBe('#result=failed')
      const failed = await status()
      await page.select('select[aria-label=Outcome]', '=critical')
      expect(await fragment(page)).toBe('#result=failed&outcome=critical')
      await press(page, '/')
      await page.keyboard.type('order')
      await page.waitForFunction(() => location.hash.startsWith('#q=order'))
      const typed = await status()
      await page.reload()
      expect(await status()).toBe(typed)
      expect(await page.$eval('input[type=search]', (search) => search.value)).toBe('order')
      await page.goBack()
      expect(await fragment(page)).toBe('#result=failed&outcome=critical')
      await page.goBack()
      await page.waitForFunction((text) => document.querySelector('.shown-count')?.textContent === text, {}, failed)
      expect(await page.$eval('.chip[aria-pressed=true]', (chip) => chip.textContent)).toMatch(/^✕\d+ failed$/)
      await page.goBack()
      await page.waitForFunction((text) => document.querySelector('.shown-count')?.textContent === text, {}, all)
      await page.goForward()
      await page.waitForFunction((text) => document.querySelector('.shown-count')?.textContent === text, {}, failed)
    })
  })

  itRuns(chromium(), 'opens the transcript of a link by its content, in a report with others too', async (binary) => {
    const twins = [1, 2].map((occurrence) =>
      failedCase({ name: `Twin ${occurrence}`, path: `${occurrence}.json`, sha256: 'ab'.repeat(32), occurrence }),
    )
    const path = missingCase({ name: 'closed', path: 'a folder/closed.json', sha256: null })
    const links: [string, string][] = [
      ['#sha=abababababababab', 'Twin 1'],
      ['#sha=abababababababab-2', 'Twin 2'],
      ['#path=a+folder%2Fclosed.json', 'closed'],
    ]
    for (const cases of [
      [...twins, path],
      [path, caseOf(), ...twins.toReversed(), caseOf({ path: 'z.json' })],
    ]) {
      await openReport(binary, folder, reportOf(cases), async (page) => {
        for (const [link, title] of links) {
          await page.evaluate((to) => location.assign(to), link)
          await page.waitForFunction((text) => document.querySelector('#case-title')?.textContent === text, {}, title)
        }
        await page.evaluate(() => location.assign('#sha=0123456789abcdef'))
        await page.waitForSelector('[role=alert]:not([hidden])')
        expect(await page.$('article')).toBeNull()
        expect(await textOf(page, '[role=alert]')).toEqual([
          'The link leads to a transcript that is not in this report.',
        ])
      })
    }
  })
})
