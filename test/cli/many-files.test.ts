import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reader } from '../../packages/cli/src/read-ahead-thread.js'
import { bin, cleanEnv } from './own-service.js'

const project = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-many-'))
  mkdirSync(join(folder, 'talks'))
  for (let at = 0; at < 300; at++) {
    writeFileSync(join(folder, `talks/${at}.json`), JSON.stringify([{ role: 'user', content: `Talk ${at}` }]))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a directory of many files', () => {
  it('is read ahead by the command as it is published, too', async () => {
    const dist = join(dirname(bin), '../dist')
    const file = readdirSync(dist).find((name) => name.startsWith('read-ahead-thread-'))
    const { createReader } = createRequire(bin)(join(dist, file ?? '')) as { createReader(): Reader }
    const reader = createReader()
    const [talk] = await reader.read([join(folder, 'talks/7.json')])
    reader.close()
    expect(Buffer.from(talk ?? []).toString()).toBe('[{"role":"user","content":"Talk 7"}]')
  })

  it('is planned all the same where Node allows no thread', () => {
    const env = { ...cleanEnv, SVC_STATE_DIR: join(folder, 'state'), SVC_CONFIG: join(folder, 'config.json') }
    const given = { ...env, SVC_API_KEY: 'test', SVC_PUBLIC_BASE_URL: 'http://127.0.0.1:9', SVC_PROJECT: project }
    const plan = (...allowed: string[]) =>
      execFileSync(process.execPath, [...allowed, bin, 'upload', 'talks', '--dry-run', '--json'], {
        cwd: folder,
        env: given,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    const isOld = process.versions.node.startsWith('20.')
    const noThread = [isOld ? '--experimental-permission' : '--permission', '--allow-fs-read=*', '--allow-fs-write=*']
    const lines = plan().trimEnd().split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(300)
    expect(plan(...noThread)).toBe(`${lines.join('\n')}\n`)
  })
})
