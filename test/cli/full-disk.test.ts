import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bin, cleanEnv } from './own-service.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-full-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the built command where no file may become longer than so many blocks of 512 bytes. */
const withBlocks = (blocks: number, ...argv: string[]) =>
  spawnSync('sh', ['-c', `ulimit -f ${blocks} && exec "$@"`, 'sh', process.execPath, bin, ...argv], {
    cwd: folder,
    env: { ...cleanEnv, SVC_CONFIG: join(folder, 'config.json'), SVC_STATE_DIR: join(folder, 'state') },
    encoding: 'utf8',
  })

describe('where a file can only be written in part', () => {
  it('keeps the old settings, and reports it', () => {
    const profiles = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`p${i}`, { baseUrl: `https://${i}.example.com` }]),
    )
    const before = JSON.stringify({ schema: 'svc/config@1', profiles })
    writeFileSync(join(folder, 'config.json'), before, { mode: 0o600 })
    const { status, stderr } = withBlocks(1, 'config', 'set', 'baseUrl', 'https://a.example.com')
    expect([status, stderr]).toEqual([3, expect.stringContaining('cannot write the settings (EFBIG)')])
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before)
    expect(readdirSync(folder)).toEqual(['config.json'])
  })

  it('a converted file is not there at all', () => {
    const conversation = Array.from({ length: 200 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `turn ${i}`,
    }))
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify(conversation))
    const { status, stderr } = withBlocks(4, 'convert', 'conversation.json', '--to', 'upload', '--out', 'out.jsonl')
    expect([status, stderr]).toEqual([3, expect.stringContaining('EFBIG')])
    expect(readdirSync(folder)).not.toContain('out.jsonl')
  })
})
