import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, describe, expect } from 'vitest'
import { attack, reportSaying } from '../../../packages/checks/test/fixtures/hostile-report.js'
import { caseOf, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { openReport } from './report-page.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

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
    await openReport(binary, folder, reportSaying(attack), async (page, seen) => {
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
        location.hash = '#path=none'
        location.hash = `#${new URLSearchParams([['sha', JSON.parse(document.getElementById('cases')?.textContent ?? '')[0].sha256]])}`
      })
      await page.waitForSelector('.turn mark')
      expect(await page.$eval('.turn .content', (content) => content.textContent)).toBe(`Before. ${attack} After.`)
      expect([...names].filter(isActive)).toEqual([])
      expect(await page.evaluate(() => (globalThis as { ran?: number }).ran)).toBeUndefined()
      expect(seen.messages).toEqual([])
      expect(seen.requests).toEqual([])
    })
  })

  itRuns(chromium(), 'is as harmless without its script', async (binary) => {
    await openReport(binary, folder, reportSaying(attack), async (page, seen) => {
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
