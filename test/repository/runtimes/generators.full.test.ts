import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { build } from 'esbuild'
import { afterAll, expect } from 'vitest'
import { runIn } from '../../helpers/runtimes/built-app.js'
import { generators } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'

const installed = generators()
const server = await createServer({ seed: { projects: [{ name: 'Support' }] } }).listen()
const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true })
  await server.close()
})

const start = `
const baseUrl = process.env.SVC_BASE_URL ?? ''
const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY }
`

/** For each generator its arguments, and a program that lists the projects and names two more operations. */
const cases: { name: string; args: string[]; program: string }[] = [
  {
    name: 'openapi-typescript',
    args: ['openapi.json', '--default-non-nullable', 'false', '--output', 'client.ts'],
    program: `
      import createClient from 'openapi-fetch'
      import type { components, operations, paths } from './client'
      ${start}
      const turns: (operations['transcripts.get']['responses'][200]['content']['application/json']['data']['turns'])[] = []
      const request: components['schemas']['AnnotationRequest'] = { annotator: 'structural', transcript: [] }
      const { data } = await createClient<paths>({ baseUrl, headers }).GET('/public/api/v1/projects')
      console.log(data?.data[0]?.name, turns.length, request.annotator)`,
  },
  {
    name: '@hey-api/openapi-ts',
    args: ['--input', 'openapi.json', '--output', 'client', '--no-log-file'],
    program: `
      import { annotationsCreate, projectsList, transcriptsUpload } from './client'
      import { client } from './client/client.gen'
      ${start}
      client.setConfig({ baseUrl, headers })
      const { data } = await projectsList()
      console.log(data?.data[0]?.name, annotationsCreate.length, transcriptsUpload.length)`,
  },
  {
    name: 'orval',
    args: ['--config', 'orval.config.cjs'],
    program: `
      import { annotationsCreate, projectsList, transcriptsUpload } from './client'
      ${start}
      const answer = await projectsList({ limit: 1 }, { headers })
      if (answer.status === 200) console.log(answer.data.data[0]?.name, annotationsCreate.length, transcriptsUpload.length)`,
  },
  {
    name: 'swagger-typescript-api',
    args: ['generate', '--path', 'openapi.json', '--output', '.', '--name', 'client.ts'],
    program: `
      import { Api } from './client'
      ${start}
      const api = new Api({ baseUrl, baseApiParams: { headers } })
      const { data } = await api.public.projectsList()
      console.log(data.data[0]?.name, api.v1.annotationsCreate.length, api.public.transcriptsUpload.length)`,
  },
  {
    name: 'oazapfts',
    args: ['openapi.json', 'client.ts'],
    program: `
      import { annotationsCreate, defaults, projectsList, transcriptsUpload } from './client'
      ${start}
      Object.assign(defaults, { baseUrl, headers })
      const answer = await projectsList()
      if (answer.status === 200) console.log(answer.data.data[0]?.name, annotationsCreate.length, transcriptsUpload.length)`,
  },
  {
    name: 'openapi-zod-client',
    args: ['openapi.json', '--output', 'client.ts'],
    program: `
      import { createApiClient } from './client'
      ${start}
      const api = createApiClient(baseUrl)
      const { data } = await api['projects.list']({ headers })
      console.log(data[0]?.name, typeof api['annotations.create'], typeof api['transcripts.upload'])`,
  },
]

/** The names of the commands that differ from those of their packages. */
const commands: Record<string, string> = { '@hey-api/openapi-ts': 'openapi-ts' }

for (const { name, args, program } of cases) {
  itRuns(installed, `${name} makes a client with strict types that lists the projects`, async (binary) => {
    const bin = dirname(binary)
    const folder = mkdtempSync(join(bin, '../../generated-'))
    folders.push(folder)
    const description = await fetch(`${server.baseUrl}/openapi.json`)
    writeFileSync(join(folder, 'openapi.json'), await description.text())
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const output = { target: 'client.ts', client: 'fetch', baseUrl: server.baseUrl }
    const orval = { service: { input: 'openapi.json', output } }
    writeFileSync(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(orval)}`)
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler' },
      ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(folder, 'program.ts'), `declare const process: { env: Record<string, string> }\n${program}`)

    await runIn(folder, join(bin, commands[name] ?? name), args)
    expect(await runIn(folder, join(bin, 'tsc'), ['--project', '.'])).toBe('')
    const outfile = join(folder, 'program.mjs')
    const bundle = { bundle: true, platform: 'node', format: 'esm', packages: 'external', tsconfigRaw: {} } as const
    await build({ ...bundle, entryPoints: [join(folder, 'program.ts')], outfile, logLevel: 'silent' })
    const env = { SVC_API_KEY: referenceKey, SVC_BASE_URL: server.baseUrl }
    expect(await runIn(folder, process.execPath, [outfile], env)).toMatch(/^Support /)
  })
}
