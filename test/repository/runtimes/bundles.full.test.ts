import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { build, version as esbuild } from 'esbuild'
import { afterAll, describe, expect } from 'vitest'
import { proxyServer } from '../../features/client/servers.js'
import { install } from '../../helpers/installed.js'
import { runIn, writeFiles } from '../../helpers/runtimes/built-app.js'
import { cache, type Runtime, webpack } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const { folder: app, remove } = install(['client'])
afterAll(remove)

const handler = (options: string) => `
  import { createClient } from '@svc/client'
  import { nodeTransport } from '@svc/client/node'
  export const handler = async () => {
    const transport = nodeTransport(${options})
    const svc = createClient({ transport, retry: false, allowHttp: true })
    try {
      return (await svc.projects.list()).total
    } catch (error) {
      return [error.name, error.reason ?? error.code ?? error.phase, error.message].join(' ')
    } finally {
      await transport.close()
    }
  }`
writeFiles(app, {
  'plain.mjs': handler('{ allowHttp: true }'),
  'proxies.mjs': handler("{ allowHttp: true, undici: () => import('undici') }"),
  'webpack.cjs': `
    const [library, entry, path] = process.argv.slice(2)
    const output = { path, filename: 'handler.cjs', library: { type: 'commonjs2' } }
    require(library)({ mode: 'production', target: 'node20', context: __dirname, entry, output }, (error, stats) => {
      console.log(JSON.stringify(error ?? stats.toJson({ all: false, errors: true, warnings: true })))
    })`,
})

/** Builds an entry into a folder, and gives the errors and warnings. */
type Build = (entry: string, folder: string) => Promise<unknown[]>

const withEsbuild: Build = async (entry, folder) => {
  const { errors, warnings } = await build({
    ...{ absWorkingDir: app, entryPoints: [entry], outfile: join(folder, 'handler.cjs'), tsconfigRaw: {} },
    ...{ bundle: true, platform: 'node', format: 'cjs', minify: true, logLevel: 'silent' },
  })
  return [...errors, ...warnings]
}

const withWebpack: Build = async (entry, folder) => {
  const library = join(cache, 'webpack-5/node_modules/webpack')
  const { errors, warnings } = JSON.parse(
    await runIn(app, process.execPath, ['webpack.cjs', library, `./${entry}`, folder]),
  )
  return [...errors, ...warnings]
}

const bundlers: { name: string; runtime: Runtime; build: Build }[] = [
  { name: 'esbuild', runtime: { name: 'esbuild', binary: '', version: esbuild }, build: withEsbuild },
  { name: 'webpack', runtime: webpack(), build: withWebpack },
]

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Builds an entry into an empty folder, where no package is found, and gives how to run it there. */
async function deploy(build: Build, entry: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lambda-'))
  folders.push(folder)
  const problems = await build(entry, folder)
  const program = "require('./handler.cjs').handler().then(console.log)"
  const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const run = (env: Record<string, string>) => runIn(folder, process.execPath, ['--eval', program], env)
  return { problems, holdsUndici: text.join('').includes('UND_ERR_HEADERS_OVERFLOW'), run }
}

async function served(run: (env: Record<string, string>, port: string) => Promise<void>) {
  const { baseUrl, publicBaseUrl, close } = await createServer({ allowedHosts: ['svc.test'] }).listen()
  const env = { SVC_API_KEY: referenceKey, SVC_BASE_URL: baseUrl, SVC_PUBLIC_BASE_URL: publicBaseUrl }
  try {
    await run(env, new URL(baseUrl).port)
  } finally {
    await close()
  }
}

describe.each(bundlers)('a handler with nodeTransport() bundled by $name', ({ runtime, build }) => {
  itRuns(runtime, 'is built without undici, calls the service, and names the missing package if a proxy is set', () =>
    served(async (env) => {
      const { problems, holdsUndici, run } = await deploy(build, 'plain.mjs')
      expect(problems).toEqual([])
      expect(holdsUndici).toBe(false)
      expect(await run(env)).toMatch(/^\d+\n$/)
      const proxied = { ...env, SVC_PUBLIC_BASE_URL: 'http://svc.test/public/api/v1', HTTP_PROXY: 'http://127.0.0.1:9' }
      expect(await run(proxied)).toContain('InputError missing_package')
    }),
  )

  itRuns(runtime, 'holds undici if it is passed, and calls the service through a proxy', () =>
    served(async (env, port) => {
      const proxy = await proxyServer()
      const link = join(app, 'node_modules/undici')
      try {
        symlinkSync(realpathSync(fileURLToPath(new URL('../../../node_modules/undici', import.meta.url))), link)
        const { problems, holdsUndici, run } = await deploy(build, 'proxies.mjs')
        expect(problems).toEqual([])
        expect(holdsUndici).toBe(true)
        const url = `http://svc.test:${port}/public/api/v1`
        expect(await run({ ...env, SVC_PUBLIC_BASE_URL: url, HTTP_PROXY: proxy.url })).toMatch(/^\d+\n$/)
        expect(proxy.urls).toHaveLength(1)
        // Installed, but not asked for.
        expect((await deploy(build, 'plain.mjs')).holdsUndici).toBe(false)
      } finally {
        rmSync(link)
        await proxy.close()
      }
    }),
  )
})
