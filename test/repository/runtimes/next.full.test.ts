import { rmSync } from 'node:fs'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { afterAll, describe, expect } from 'vitest'
import { install } from '../../helpers/installed.js'
import { appBeside, runIn, startIn } from '../../helpers/runtimes/built-app.js'
import { next } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const { folder: client, remove } = install(['client'])
afterAll(remove)

const upload = `svc.transcripts.upload(process.env.SVC_PROJECT, { name: 'x', turns: [{ role: 'user', content: 'hi' }] })`
const files = {
  'package.json': '{"private":true}',
  // The folder that also holds Next.js itself.
  'next.config.mjs': `
    const root = new URL('..', import.meta.url).pathname
    export default { turbopack: { root }, outputFileTracingRoot: root }`,
  'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>',
  'app/page.js': 'export default () => <p>hi</p>',
  'app/edge/route.js': `
    import { createClient } from '@svc/client'
    export const runtime = 'edge'
    export async function POST() {
      const svc = createClient()
      const { id } = await ${upload}
      return Response.json({ id, total: (await svc.transcripts.list(process.env.SVC_PROJECT)).total })
    }`,
  'app/node/route.js': `
    import { createClient } from '@svc/client'
    import { nodeTransport } from '@svc/client/node'
    export async function POST() {
      const transport = nodeTransport()
      const svc = createClient({ transport })
      const { id } = await ${upload}
      const { total } = await svc.transcripts.list(process.env.SVC_PROJECT)
      await transport.close()
      return Response.json({ id, total })
    }`,
  // Next.js answers an equal GET from its cache, so that the list that a search reads would be the one before the upload.
  'app/cached/route.js': `
    import { createClient } from '@svc/client'
    export const fetchCache = 'default-cache'
    export const revalidate = 3600
    export async function POST() {
      const svc = createClient({ timeoutMs: 2_000 })
      const before = await svc.transcripts.all(process.env.SVC_PROJECT).toArray({ limit: 10 })
      const result = await ${upload}.catch((error) => ({ id: String(error) }))
      return Response.json({ before: before.length, id: result.id })
    }`,
  'middleware.js': `
    import { createClient } from '@svc/client'
    export async function middleware() {
      return Response.json(await createClient().projects.get(process.env.SVC_PROJECT))
    }
    export const config = { matcher: '/middleware' }`,
}

const opened: (() => unknown)[] = []
afterAll(async () => {
  for (const close of opened.reverse()) await close()
})

/** Builds the application and starts it beside a service. */
async function start(binary: string, bundler: string) {
  const server = createServer()
  const { baseUrl, publicBaseUrl, close } = await server.listen()
  opened.push(close)
  const project = server.world.createProject({ name: 'P' }).record.id
  const app = appBeside(binary, client, files)
  opened.push(() => rmSync(app, { recursive: true, maxRetries: 3 }))
  const env = {
    ...{ NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
    ...{ SVC_API_KEY: referenceKey, SVC_BASE_URL: baseUrl, SVC_PUBLIC_BASE_URL: publicBaseUrl, SVC_PROJECT: project },
  }
  const built = await runIn(app, binary, ['build', `--${bundler}`], env)
  const { url, stop } = await startIn(app, binary, ['start', '--hostname', '127.0.0.1', '--port', '0'], env)
  opened.push(stop)
  const call = async (path: string, method = 'POST') => {
    const response = await fetch(`${url}${path}`, { method })
    const text = await response.text()
    return response.ok ? JSON.parse(text) : text
  }
  const uploads = () => server.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/transcripts'))
  return { server, project, built, call, uploads }
}

describe.each(['turbopack', 'webpack'])('a Next.js application built with %s', (bundler) => {
  const runtime = next()
  let started: ReturnType<typeof start> | undefined
  const startOnce = (binary: string) => (started ??= start(binary, bundler))

  itRuns(runtime, 'calls the service from an edge route, a middleware and a node route', async (binary) => {
    const { built, call, project } = await startOnce(binary)
    const warned = [...built.matchAll(/^\.\/(\S+)\nA Node\.js API/gm)].map(([, file]) => file)
    expect(warned.filter((file) => !file?.includes('/openapi-fetch/'))).toEqual([])
    expect(built).not.toMatch(/Critical dependency|Can't resolve/)
    expect(await call('/edge')).toEqual({ id: expect.stringMatching(/^tr_/), total: 1 })
    expect(await call('/middleware', 'GET')).toMatchObject({ id: project, name: 'P' })
    expect(await call('/node')).toEqual({ id: expect.stringMatching(/^tr_/), total: 2 })
  })

  itRuns(
    runtime,
    'stores an upload once that lost its answer, where Next.js caches what is fetched',
    async (binary) => {
      const { server, call, uploads } = await startOnce(binary)
      const before = uploads().length
      server.faults.add({ kind: 'lost', on: 'transcripts.upload', times: 1 })
      expect(await call('/cached')).toEqual({ before, id: expect.stringMatching(/^tr_/) })
      expect(uploads()).toHaveLength(before + 1)
    },
  )
})
