import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { startChromium, violations } from '../features/gate/report-page.js'
import { blocksOf } from '../helpers/blocks.js'
import { chromium } from '../helpers/runtimes/cache.js'
import { itRuns } from '../helpers/runtimes/it-runs.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const site = join(root, 'docs/.vitepress/dist')
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

// The build fails on a link to a page that does not exist.
beforeAll(() => {
  execFileSync('npx', ['--yes', 'pnpm@12', 'docs:build'], { cwd: root, stdio: 'pipe' })
}, 300_000)

const pages = () =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.html') && path !== '404.html',
  )

describe('the documentation site', () => {
  it('the documentation site has the Markdown of every page beside it', () => {
    const hasNone = pages().filter((path) => {
      const markdown = path.replace(/\.html$/, '.md')
      return !existsSync(join(site, markdown)) && !existsSync(join(site, markdown.replace('index', 'README')))
    })
    expect(hasNone.sort()).toEqual(['reference/http-api.html', 'report.html'])
  })

  it('lists the Markdown of every page in llms.txt', () => {
    const listed = [...readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/\]\((.*?)\)/g)].map(([, url = '']) => url)
    expect(listed.length).toBe(pages().length - 3)
    for (const url of listed) expect(existsSync(join(site, url.slice(homepage.length))), url).toBe(true)
  })

  it('contains the HTTP API as an OpenAPI document, and a page that reads it', () => {
    const { paths } = JSON.parse(readFileSync(join(site, 'reference/openapi.json'), 'utf8'))
    const page = readFileSync(join(site, 'reference/http-api.html'), 'utf8')
    expect(Object.keys(paths).length).toBeGreaterThan(8)
    expect(page).toContain('<a href="openapi.json">')
  })

  const browser = chromium()
  itRuns(browser, 'asks for nothing of another host, and has nothing serious for axe', async (binary) => {
    await withSite(binary, async (page, address, requests) => {
      for (const path of ['', 'guides/quick-start', 'reference/cli/upload', 'reference/api/@svc.bulk']) {
        for (const [scheme, width] of [
          ['light', 1280],
          ['dark', 400],
        ] as const) {
          await page.setViewport({ width, height: 900 })
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
          await page.goto(`${address}/${path}`, { waitUntil: 'networkidle0' })
          expect(await violations(page), `${path} ${scheme}`).toEqual([])
          expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width)
        }
      }
      expect(requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
    })
  })

  itRuns(browser, 'shows every page at 400 px without sideways scroll, also of a table', async (binary) => {
    await withSite(binary, async (page, address) => {
      await page.setViewport({ width: 400, height: 900 })
      // The width follows from markup and style alone.
      await page.setJavaScriptEnabled(false)
      const wide: string[] = []
      for (const path of pages()) {
        await page.goto(`${address}/${path}`, { waitUntil: 'load' })
        const isWide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('.vp-doc table')].some(
            ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
          ),
        )
        if (isWide) wide.push(path)
      }
      expect(wide).toEqual([])
    })
  })

  itRuns(browser, 'shows the session of the README, the fix, and a report on its first page', async (binary) => {
    await withSite(binary, async (page, address) => {
      await page.goto(`${address}/`, { waitUntil: 'load' })
      const shown = await page.$eval('.terminal code', ({ textContent }) => textContent)
      const sessions = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'), 'console')
      expect(shown.startsWith(sessions.find((session) => session.startsWith('$ svc check')) ?? 'none')).toBe(true)
      expect(shown).toMatch(/passed: no transcript .* \(1 judged\)\n\$ echo \$\?\n0$/)
      const frame = await page.$('iframe.report')
      await frame?.scrollIntoView()
      const report = await page.waitForFrame((each) => each.url() === `${address}/report.html`)
      await report.waitForSelector('text/unanswered_user_turn')
    })
  })

  itRuns(browser, 'finds a page by its text, without a server', async (binary) => {
    await withSite(binary, async (page, address, requests) => {
      await page.setViewport({ width: 1280, height: 900 })
      await page.goto(`${address}/`, { waitUntil: 'networkidle0' })
      await page.click('.DocSearch-Button')
      await page.waitForSelector('#localsearch-input')
      await page.type('#localsearch-input', 'Retry-After')
      await page.waitForSelector('.results a[href]')
      const found = await page.$$eval('.results a[href]', (links) =>
        links.map((link) => link.getAttribute('href') ?? ''),
      )
      expect(found.some((href) => href.includes('/reference/faults'))).toBe(true)
      expect(requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
    })
  })
})

/** Serves the site under its base, as a host of static files does, and opens a page of it. */
async function withSite(
  binary: string,
  visit: (page: Page, address: string, requests: string[]) => Promise<void>,
): Promise<void> {
  const base = new URL(homepage).pathname
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = join(site, decodeURIComponent(pathname.slice(base.length)))
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (each) => existsSync(each) && statSync(each).isFile(),
    )
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`
  const browser: Browser = await startChromium(binary)
  try {
    const page = await browser.newPage()
    const requests: string[] = []
    page.on('request', (request) => void requests.push(request.url()))
    await visit(page, address, requests)
  } finally {
    await browser.close()
    server.close()
  }
}
