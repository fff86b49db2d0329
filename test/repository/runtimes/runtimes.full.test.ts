import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { version } from '../../../packages/client/package.json'
import { bun, chromium, deno, edgeRuntime, nodes, type Runtime, workerd } from '../../helpers/runtimes/cache.js'
import { everywhere, type Platform } from '../../helpers/runtimes/expected.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import type { Report } from '../../helpers/runtimes/job.js'
import { openPlace, type Place } from '../../helpers/runtimes/place.js'
import { inChromium, inEdgeRuntime, inProcess, inWorkerd } from '../../helpers/runtimes/start.js'
import { installClient } from '../consumer/app.js'
import { asOneFile, asProgram } from './bundle.js'

const { folder: app, remove } = installClient()
afterAll(remove)
writeFileSync(join(app, 'job.mjs'), await asProgram('main-script.ts', 'esm'))
writeFileSync(join(app, 'job.cjs'), await asProgram('main-script.ts', 'cjs'))

const here: Runtime = { name: 'the Node of the tests', binary: process.execPath, version: process.versions.node }
const agent = (runtime: string) => `svc-client/${version} ${runtime}`
const browser = { userAgent: expect.stringContaining('HeadlessChrome'), redirect: 0, closed: 'TypeError' } as const

/** Runs the job at a place of its own, and compares its report with that of every other runtime. */
async function compare(platform: Platform, place: Place, run: (place: Place) => Promise<Report>): Promise<void> {
  try {
    const report = await run(place)
    expect(report).toEqual(everywhere(platform))
    expect(place.followed()).toBe(0)
  } finally {
    await place.close()
  }
}

/** As a program of an application, with the default transport or with Node's own. */
const script = (binary: string, kind: 'mjs' | 'cjs', userAgent: string, transport = false) =>
  openPlace().then((place) =>
    compare({ userAgent }, place, ({ urls }) => inProcess(binary, join(app, `job.${kind}`), { urls, transport })),
  )

describe('the main job in a process', () => {
  for (const runtime of [here, ...nodes(), bun()]) {
    const name = runtime.name === 'Bun' ? 'bun' : 'node'
    for (const kind of ['mjs', 'cjs'] as const) {
      itRuns(runtime, `of ${runtime.name}, as ${kind}`, (binary, version) =>
        script(binary, kind, agent(`${name}/${version}`)),
      )
      itRuns(runtime, `of ${runtime.name}, as ${kind}, over nodeTransport`, (binary, version) =>
        script(binary, kind, agent(`${name}/${version}`), true),
      )
    }
  }
})

describe('the main job in Deno', () => {
  // Without the right to read the environment: every option is given.
  const flags = ['run', '--node-modules-dir=manual', '--no-prompt', '--allow-net', '--allow-read']
  itRuns(deno(), 'over its own fetch', async (binary, version) =>
    // Deno gives the cause of a failed connection in words only.
    compare({ userAgent: agent(`deno/${version}`), closed: 'TypeError' }, await openPlace(), ({ urls }) =>
      inProcess(binary, join(app, 'job.mjs'), { urls }, flags),
    ),
  )
})

describe('the main job in a Worker', () => {
  const runtime = workerd()
  for (const flags of [[], ['nodejs_compat']]) {
    itRuns(runtime, `of workerd${flags.map((flag) => ` with ${flag}`)}`, async (binary) => {
      const module = await asOneFile('main-workerd.ts', app)
      // Why a connection failed is said there in words only.
      await compare({ userAgent: agent('web'), closed: 'Error' }, await openPlace(), ({ urls }) =>
        inWorkerd(binary, app, module, flags, urls),
      )
    })
  }
})

describe('the main job in an Edge Runtime', () => {
  itRuns(edgeRuntime(), 'over its own fetch', async (binary) => {
    const script = await asOneFile('main-edge.ts', app)
    await compare({ userAgent: agent('web') }, await openPlace(), ({ urls }) =>
      inEdgeRuntime(binary, app, script, urls),
    )
  })
})

describe('the main job in a browser', () => {
  const runtime = chromium()
  const scripts = { 'a page': 'import("/job.js")', 'a module worker': 'new Worker("/job.js", { type: "module" })' }
  for (const [where, start] of Object.entries(scripts)) {
    itRuns(runtime, `in ${where} of Chromium`, async (binary) => {
      const page = `<!doctype html><script type="module">${start}</script>`
      const place = await openPlace({ script: await asOneFile('main-browser.ts', app), page })
      await compare(browser, place, ({ origin, reported }) => inChromium(binary, app, origin, reported))
    })
  }
})
