import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { get, list, post } from './asking.js'
import { buildServing, projectId, urlOf } from './serving.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-failing-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

async function built(options?: Parameters<typeof buildServing>[0]) {
  const program = await buildServing(options)
  onTestFinished(() => program.remove())
  return program
}

const upload = (name: string, length: number) => ({
  name,
  turns: [{ role: 'user', content: 'x'.repeat(length) }],
  process: false,
})

// The shell's limit on the size of a file: a write fails as on a disk that is full.
describe.skipIf(process.platform === 'win32')('on a full disk', () => {
  it('refuses an upload that cannot be stored, and keeps all acknowledged ones', async () => {
    const program = await built()
    const serving = await program.serve(folder, { through: ['sh', '-c', 'ulimit -f 2000; exec "$0" "$@"'] })
    const answered: string[] = []
    let refused = 0
    for (let i = 0; i < 40 && refused < 3; i += 1) {
      const response = await post(urlOf(serving), upload(`t${i}`, 150_000))
      if (response.status === 201) answered.push(`t${i}`)
      else {
        expect([500, 503]).toContain(response.status)
        refused += 1
      }
      await response.text()
    }
    expect(refused).toBe(3)
    expect(answered.length).toBeGreaterThan(2)

    const names = async (url: string) => (await list(url)).map(({ name }) => name).sort()
    const count = async (url: string) => (await get(`${url}/projects/${projectId}`)).data.transcript_count
    expect(await names(urlOf(serving))).toEqual(answered.sort())
    expect(await count(urlOf(serving))).toBe(answered.length)
    await serving.kill()
    const again = await program.serve(folder)
    expect(await names(urlOf(again))).toEqual(answered)
    expect(await count(urlOf(again))).toBe(answered.length)
    expect((await post(urlOf(again), upload('later', 150_000))).status).toBe(201)
    await again.kill()
  })
})

it('names the package to install if there is no SQLite; a Node with its own needs none', async () => {
  const program = await built({ library: false })
  const serving = await program.serve(folder)
  if (process.getBuiltinModule('node:sqlite')) {
    expect(serving.said).toHaveProperty('publicBaseUrl')
    await serving.kill()
  } else {
    const hint = expect.stringContaining('npm install libsql')
    expect(serving.said).toMatchObject({ refused: { reason: 'no_library', hint } })
  }
})
