import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireBuilt } from '../../helpers/built.js'
import { mockService } from '../../helpers/mock-service.js'

const cli = fileURLToPath(new URL('../../../packages/cli', import.meta.url))

let service: Awaited<ReturnType<typeof mockService>>
beforeAll(async () => {
  requireBuilt('cli')
  service = await mockService()
})
afterAll(() => service.close())

/** The source files whose code a run of the built command loads, as its bundle names them. */
function sourcesLoadedBy(argv: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-start-'))
  execFileSync(process.execPath, [join(cli, 'bin/svc.js'), ...argv], {
    env: { ...process.env, ...service.env, NODE_V8_COVERAGE: folder },
    stdio: 'ignore',
  })
  const scripts: { url: string }[] = readdirSync(folder).flatMap(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result,
  )
  const chunks = scripts.map(({ url }) => basename(url)).filter((name) => readdirSync(join(cli, 'dist')).includes(name))
  return chunks.flatMap((name) =>
    [...readFileSync(join(cli, 'dist', name), 'utf8').matchAll(/^\/\/ (\S+\.[jt]s)$/gm)].map(([, path = '']) => path),
  )
}

it.each([
  ['--help', /^\.\.\/(client|transcripts|checks|reference-server)\/|^\.\.\/bulk\/src\/(ledger|upload)\/|picomatch/],
  ['health', /^\.\.\/(transcripts|checks|reference-server)\/|^\.\.\/bulk\/src\/(ledger|upload)\/|picomatch/],
])('svc %s loads no library that it does not use', (word, unused) => {
  const loaded = sourcesLoadedBy([word])
  expect(loaded).toContain('src/program.ts')
  expect(loaded.filter((path) => unused.test(path))).toEqual([])
})
