import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { startChromium } from '../../features/gate/report-page.js'
import { blocksOf } from '../../helpers/blocks.js'
import { install } from '../../helpers/installed.js'
import { appBeside, runIn } from '../../helpers/runtimes/built-app.js'
import { chromium, type Runtime, storybook, vite } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const example = fileURLToPath(new URL('../../../examples/browser', import.meta.url))
const guide = readFileSync(fileURLToPath(new URL('../../../docs/guides/testing.md', import.meta.url)), 'utf8')
const [, section = ''] = /^## In a browser\n([\s\S]*?)^## /m.exec(guide) ?? []

const { folder: packed, remove } = install(['client', 'reference-server'])
afterAll(remove)

/** Both, or why one is missing. */
const both = (tool: Runtime, browser: Runtime): Runtime => ('missing' in tool ? tool : browser)

/** The example as an application beside an installed tool, with the worker that the guide's command writes. */
async function withApp(
  tool: Runtime,
  use: (app: string, sh: (script: string, env?: object) => Promise<string>) => Promise<void>,
) {
  if ('missing' in tool) throw new Error(tool.missing)
  const app = appBeside(tool.binary, packed, { 'package.json': '{"private":true,"type":"module"}' })
  const path = `${dirname(tool.binary)}:${process.env.PATH}`
  const sh = (script: string, env = {}) =>
    runIn(app, 'sh', ['-e', '-c', script], { PATH: path, CI: '1', HOME: app, ...env })
  try {
    cpSync(example, app, { recursive: true })
    await sh(blocksOf(section, 'bash')[0] ?? 'exit 1')
    await use(app, sh)
  } finally {
    rmSync(app, { recursive: true, maxRetries: 3 })
  }
}

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' }

/** Serves the files of a folder. */
async function serveFiles(folder: string) {
  const server = createServer(({ url = '' }, response) => {
    try {
      const path = new URL(url, 'http://files.test').pathname
      const content = readFileSync(join(folder, path))
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('examples/browser', () => {
  const [app, browser] = [vite(), chromium()]

  itRuns(both(app, browser), 'its page works in Chromium, and its tests pass under Playwright', async (binary) => {
    await withApp(app, async (_, sh) => {
      const printed = await sh(blocksOf(section, 'bash')[1] ?? 'exit 1', { CHROMIUM: binary })
      expect(printed).toMatch(/^ +3 passed /m)
    })
  })

  itRuns(both(storybook(), browser), 'its stories show what the server answers', async (binary) => {
    await withApp(storybook(), async (folder, sh) => {
      await sh('npx storybook build --quiet --disable-telemetry')
      const files = await serveFiles(join(folder, 'storybook-static'))
      const page = await startChromium(binary)
      try {
        const tab = await page.newPage()
        const textOf = async (story: string) => {
          await tab.goto(`${files.origin}/iframe.html?id=projects--${story}&viewMode=story`)
          await tab.waitForSelector('section li, section [role=alert]:not(:empty)')
          return tab.$eval('section', (shown) =>
            ['li', '[role=alert]'].map((name) =>
              [...shown.querySelectorAll(name)].map(({ textContent }) => textContent),
            ),
          )
        }
        expect(await textOf('two')).toEqual([['Support', 'Sales'], ['']])
        expect(await textOf('empty')).toEqual([[], ['No projects yet.']])
        expect(await textOf('unavailable')).toEqual([[], ['Cannot load the projects: unavailable']])
      } finally {
        await page.close()
        files.close()
      }
    })
  })

  const files = readdirSync(example, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))

  it.each(blocksOf(section, 'js').map((program) => ({ program })))(
    'the guide shows a part of a file: $program',
    ({ program }) => {
      expect(texts.filter((text) => text.includes(program.trim()))).toHaveLength(1)
    },
  )
})
