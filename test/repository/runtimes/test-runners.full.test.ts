import { rmSync } from 'node:fs'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { afterAll, describe, expect } from 'vitest'
import { install } from '../../helpers/installed.js'
import { appBeside, runIn } from '../../helpers/runtimes/built-app.js'
import { jest, vitest } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const { folder: client, remove } = install(['client'])
afterAll(remove)

/** The tests of an application: over nodeTransport(), and with the default fetch where the environment has one of Node. */
const tests = (environment: string, hasFetch: boolean) => `
  const upload = { name: 'n', turns: [{ role: 'user', content: 'Jürgen 日本 😀' }], metadata: { a: 1 } }
  const work = async (svc) => {
    const { id } = await svc.transcripts.upload(process.env.SVC_PROJECT, upload)
    const read = await svc.transcripts.get(id)
    const error = await svc.transcripts.get('tr_unknown').catch((error) => error)
    return [read.turns[0].content, error.name, error instanceof ServiceError]
  }
  test('${environment}: every entry is imported and makes a client', async () => {
    expect(typeof createClient().projects.list).toBe('function')
    expect(typeof core.createClient({}, {}).projects.list).toBe('function')
  })
  test('${environment}: uploads and reads over nodeTransport()', async () => {
    const transport = nodeTransport()
    const svc = createClient({ transport })
    expect(await work(svc)).toEqual(['Jürgen 日本 😀', 'ServiceError', true])
    await transport.close()
  })
  test('${environment}: reads compressed answers and asks over TLS', async () => {
    const body = zlib.gzipSync('{"status":"ok","substrate":"lambda"}')
    const server = http.createServer((request, response) => {
      response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'application/json').end(body)
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const host = '127.0.0.1:' + server.address().port
    const transport = nodeTransport()
    const client = (baseUrl) => createClient({ baseUrl, transport, retry: false })
    expect((await client('http://' + host).health()).status).toBe('ok')
    expect((await client('https://' + host).health().catch((error) => error)).name).toBe('ConnectionError')
    await transport.close()
    await new Promise((resolve) => server.close(resolve))
  })
  ${
    hasFetch
      ? `test('${environment}: uploads and reads over the global fetch', async () => {
    expect(await work(createClient())).toEqual(['Jürgen 日本 😀', 'ServiceError', true])
  })`
      : ''
  }`

const required = `
  const { createClient, ServiceError } = require('@svc/client')
  const core = require('@svc/client/core')
  const { nodeTransport } = require('@svc/client/node')
  const http = require('node:http')
  const zlib = require('node:zlib')`
const imported = `
  import { createClient, ServiceError } from '@svc/client'
  import * as core from '@svc/client/core'
  import { nodeTransport } from '@svc/client/node'
  import http from 'node:http'
  import zlib from 'node:zlib'
  import { expect, test } from 'vitest'`

const runners = [
  {
    name: 'Jest',
    runtime: jest(),
    args: ['--ci', '--rootDir=.'],
    files: {
      'package.json': '{"private":true}',
      'node.test.cjs': `/** @jest-environment node */${required}${tests('node', true)}`,
      'jsdom.test.cjs': `/** @jest-environment jsdom */${required}${tests('jsdom', false)}`,
      'jest.config.cjs': "module.exports = { testMatch: ['**/*.test.cjs'] }",
    },
    passed: /Tests: +7 passed, 7 total/,
  },
  {
    name: 'vitest',
    runtime: vitest(),
    args: ['run', '--root=.'],
    files: {
      'package.json': '{"private":true,"type":"module"}',
      'node.test.js': `${imported}${tests('node', true)}`,
      'jsdom.test.js': `// @vitest-environment jsdom\n${imported}${tests('jsdom', true)}`,
      'happy.test.js': `// @vitest-environment happy-dom\n${imported}${tests('happy-dom', false)}`,
    },
    passed: /Tests +11 passed \(11\)/,
  },
]

describe.each(runners)('under $name', ({ runtime, args, files, passed }) => {
  itRuns(runtime, 'the packed client imports, makes a client and calls the service', async (binary) => {
    const server = createServer()
    const { baseUrl, publicBaseUrl, close } = await server.listen()
    const SVC_PROJECT = server.world.createProject({ name: 'P' }).record.id
    const env = { SVC_API_KEY: referenceKey, SVC_BASE_URL: baseUrl, SVC_PUBLIC_BASE_URL: publicBaseUrl, SVC_PROJECT }
    const app = appBeside(binary, client, files)
    try {
      expect(await runIn(app, binary, args, { ...env, NO_COLOR: '1' })).toMatch(passed)
    } finally {
      rmSync(app, { recursive: true, maxRetries: 3 })
      await close()
    }
  })
})
