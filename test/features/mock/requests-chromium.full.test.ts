import { createServer, type ServerOptions } from '@svc/reference-server/core'
import type { Page } from 'puppeteer-core'
import { describe, expect } from 'vitest'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { press, startChromium, textOf, violations } from '../gate/report-page.js'

const key = 'sk-service-api03-abcdefghijklmnop'
const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`

/** A server with requests, its page in Chromium, and all that the page must not do. */
async function opened(
  binary: string,
  look: (parts: Parts) => Promise<void>,
  options: ServerOptions = {},
): Promise<void> {
  const server = createServer({ control: { token: 't0ken' }, seed: { keys: [{ key, name: 'CI' }] }, ...options })
  const { baseUrl, publicBaseUrl, close } = await server.listen()
  const browser = await startChromium(binary)
  try {
    const page = await browser.newPage()
    const forbidden: string[] = []
    page.on('console', (message) => void forbidden.push(message.text()))
    page.on('pageerror', (error) => void forbidden.push(String(error)))
    page.on('dialog', (dialog) => {
      forbidden.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('request', (request) => void (request.url().startsWith(baseUrl) || forbidden.push(request.url())))
    await page.evaluateOnNewDocument(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.log(violatedDirective))
    })
    await page.setViewport({ width: 1280, height: 860 })
    const send = (path: string, body?: unknown, bearer = key) =>
      fetch(publicBaseUrl + path, {
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'x-note': hostile },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
    await look({ server, page, send, url: `${baseUrl}/_svc/`, docs: `${baseUrl}/docs` })
    // The browser asks for nothing else, runs nothing else, and its policy is never violated.
    expect(forbidden).toEqual([])
  } finally {
    await browser.close()
    await close()
  }
}

interface Parts {
  server: ReturnType<typeof createServer>
  page: Page
  send(path: string, body?: unknown, bearer?: string): Promise<Response>
  url: string
  docs: string
}

const rows = (page: Page) =>
  page.$$eval('#rows tr', (found) => found.map((row) => [...row.children].slice(1).map((cell) => cell.textContent)))
const operations = async (page: Page) => (await rows(page)).map(([operation]) => operation)
const shown = (page: Page, selector: string, count: number) =>
  page.waitForFunction((css, wanted) => document.querySelectorAll(css).length === wanted, {}, selector, count)
const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.closest('tr')?.children[1]?.textContent)

describe('the page of the requests in Chromium', () => {
  itRuns(chromium(), 'shows requests as they come, in full, masked, and as text', async (binary) => {
    await opened(binary, async ({ server, page, send, url }) => {
      await send('/projects')
      await page.goto(`${url}#token=t0ken`)
      await shown(page, '#rows tr', 1)
      // The token is not in the address, and a reload needs no link.
      expect(page.url()).toBe(url)
      const { data } = (await (await send('/projects', { name: hostile })).json()) as { data: { id: string } }
      await send(`/projects/${data.id}/transcripts`, {
        name: hostile,
        modelname: 'm',
        turns: [{ role: 'user', content: `${key} ${hostile}` }],
      })
      await send(`/${encodeURIComponent(hostile)}?q=${encodeURIComponent(hostile)}`, undefined, 'nobody')
      await shown(page, '#rows tr', 4)
      const [unknown, upload, create] = await rows(page)
      expect(unknown?.[0]).toContain('GET /%3C')
      expect(unknown?.[1]).toBe('404')
      expect(upload).toEqual(['transcripts.upload ⚠ 1', '201', expect.stringMatching(/^\d+ ms$/), 'CI'])
      expect(create?.[0]).toBe('projects.create')
      await page.click('#rows tr:nth-child(2)')
      const [detail = ''] = await textOf(page, '#detail')
      for (const part of [
        'body /modelname: no such field (did you mean modelName?)',
        'sk-service-api03-…mnop </script><script>alert(1)</script>',
        'x-note: </script>',
        '"processing_status": "queued"',
        'curl -X \'POST\' "$SVC_PUBLIC_BASE_URL"',
        `await svc.transcripts.upload("${data.id}", {`,
      ])
        expect(detail).toContain(part)
      expect(detail).not.toContain('abcdefghijklmnop')
      expect(await page.$$eval('img, main script, iframe', (found) => found.length)).toBe(0)
      await page.click('#rows tr:nth-child(1)')
      expect((await textOf(page, '#detail'))[0]).toContain('path: no such path')
      await page.reload()
      await shown(page, '#rows tr', 4)
      server.requests.clear({ operation: 'projects.create' })
      await shown(page, '#rows tr', 3)
      await page.click('#clear')
      await shown(page, '#rows tr', 0)
      expect(server.requests).toEqual([])
    })
  })

  itRuns(chromium(), 'shows a body of 200 kB, and says what the journal dropped with its size', async (binary) => {
    const look = async ({ server, page, send, url }: Parts) => {
      const id = server.world.createProject({ name: 'P' }).record.id
      const upload = { name: 't', turns: [{ role: 'user', content: 'x'.repeat(200_000) }] }
      for (let at = 0; at < 3; at += 1) await send(`/projects/${id}/transcripts`, upload)
      await page.goto(`${url}#token=t0ken`)
      await shown(page, '#rows tr', 3)
      await page.click('#rows tr:nth-child(1)')
      expect((await textOf(page, '#detail'))[0]).toMatch(/2000\d\d bytes/)
      await page.click('pre[aria-label="Request body"] + button')
      expect((await textOf(page, 'pre[aria-label="Request body"]'))[0]).toContain('x'.repeat(200_000))
      await page.click('#rows tr:last-child')
      const gone = /Request body(2000\d\d bytes\. The journal has dropped it)/.exec(
        (await textOf(page, '#detail'))[0] ?? '',
      )
      expect(gone?.[1]).toMatch(/dropped it$/)
    }
    await opened(binary, look, { journalBytes: 500_000 })
  })

  itRuns(chromium(), 'filters by operation, status and text', async (binary) => {
    await opened(binary, async ({ server, page, send, url }) => {
      server.faults.add('projects.list: reset-before; skip=1; times=1')
      await send('/projects')
      await send('/projects').catch(() => {})
      await send('/projects', { name: 'A refund' })
      await send('/projects', { nom: 'x' })
      await page.goto(`${url}#token=t0ken`)
      await shown(page, '#rows tr', 4)
      await page.select('#operation', 'projects.list')
      expect(await operations(page)).toEqual(['projects.list', 'projects.list'])
      await page.select('#status', 'none')
      expect(await rows(page)).toEqual([['projects.list', 'no answer', expect.any(String), 'CI']])
      await page.select('#operation', '')
      await page.select('#status', '4')
      expect(await operations(page)).toEqual(['projects.create ⚠ 2'])
      await page.select('#status', 'departs')
      expect(await operations(page)).toEqual(['projects.create ⚠ 2'])
      await page.select('#status', '')
      await press(page, '/')
      await page.keyboard.type('a ReFund')
      expect(await operations(page)).toEqual(['projects.create'])
      expect(await textOf(page, '#state')).toEqual(['4 requests, 1 shown'])
    })
  })

  itRuns(chromium(), 'works by the keyboard alone', async (binary) => {
    await opened(binary, async ({ page, send, url }) => {
      for (const name of ['one', 'two']) await send('/projects', { name })
      await send('/projects')
      await page.goto(`${url}#token=t0ken`)
      await shown(page, '#rows tr', 3)
      await press(page, 'ArrowDown')
      expect(await focusedRow(page)).toBe('projects.list')
      await press(page, 'j', 'Enter')
      expect((await textOf(page, '#detail'))[0]).toContain('"name": "two"')
      // A new request moves neither the focus nor what is shown.
      await send('/projects')
      await shown(page, '#rows tr', 4)
      expect(await focusedRow(page)).toBe('projects.create')
      await press(page, 'ArrowDown')
      expect((await textOf(page, '#detail'))[0]).toContain('"name": "one"')
      await press(page, 'k', 'k', 'Escape')
      expect(await page.$eval('#detail', (element) => (element as HTMLElement).hidden)).toBe(true)
      expect(await focusedRow(page)).toBe('projects.list')
    })
  })

  itRuns(chromium(), 'asks for the token, and shows nothing with another one', async (binary) => {
    await opened(binary, async ({ page, send, url }) => {
      await send('/projects')
      await page.goto(url)
      await page.waitForSelector('#access:not([hidden])')
      await page.type('#token', 't0ken')
      await press(page, 'Enter')
      await shown(page, '#rows tr', 1)
    })
    const server = createServer({ control: { token: 't0ken' } })
    const page = await (await server.fetch('https://svc.test/_svc/')).text()
    expect(page).not.toContain('t0ken')
  })

  itRuns(
    chromium(),
    'is read by everybody: axe finds nothing serious on both pages, light and dark',
    async (binary) => {
      await opened(binary, async ({ page, send, url, docs }) => {
        await send('/projects', { nom: 'x' })
        for (const scheme of ['light', 'dark']) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
          await page.setViewport({ width: 1280, height: 860 })
          await page.goto(`${url}#token=t0ken`)
          await page.waitForSelector('#rows tr')
          await page.click('#rows tr')
          expect(await violations(page), scheme).toEqual([])
          await page.goto(docs)
          await page.waitForSelector('#health')
          expect(await violations(page), `${scheme}, docs`).toEqual([])
          await page.setViewport({ width: 390, height: 844 })
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
        }
      })
    },
  )
})

describe('the page of the interface in Chromium', () => {
  itRuns(chromium(), 'shows every operation, schema and example of its JSON, each place once', async (binary) => {
    await opened(binary, async ({ page, docs }) => {
      await page.goto(docs)
      await page.waitForSelector('#health')
      const whole = (await (await fetch(docs.replace('docs', 'openapi.json'))).json()) as {
        paths: Record<string, Record<string, { operationId?: string }>>
        components: { schemas: Record<string, unknown> }
      }
      const ids = await page.$$eval('[id]', (found) => found.map(({ id }) => id))
      const named = Object.values(whole.paths).flatMap((item) =>
        Object.values(item).flatMap((each) => each.operationId ?? []),
      )
      expect(named.length).toBeGreaterThan(10)
      expect(ids).toEqual(
        expect.arrayContaining([...named, ...Object.keys(whole.components.schemas).map((name) => `schema-${name}`)]),
      )
      expect(new Set(ids).size).toBe(ids.length)
      const text = (await textOf(page, 'main'))[0] ?? ''
      for (const path of Object.keys(whole.paths)) expect(text).toContain(path)
      const examples = [...JSON.stringify(whole.paths).matchAll(/"operationId"/g)].length
      expect(await page.$$eval('pre', (found) => found.length)).toBeGreaterThan(examples)
      const links = await page.$$eval('main a', (found) => found.map((link) => link.getAttribute('href')?.slice(1)))
      expect(links.filter((link) => !ids.includes(link ?? ''))).toEqual([])
    })
  })
})
