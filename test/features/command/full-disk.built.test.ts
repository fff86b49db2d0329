import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bin, cleanEnv } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the built command where no file may become longer than so many blocks of 512 bytes. */
const withBlocks = (blocks: number, { argv, env, input = '' }: { argv: string[]; env?: object; input?: string }) =>
  spawnSync('sh', ['-c', `ulimit -f ${blocks} && exec "$@"`, 'sh', process.execPath, bin, ...argv], {
    cwd: folder,
    env: { ...cleanEnv, SVC_CONFIG: join(folder, 'config.json'), SVC_STATE_DIR: join(folder, 'state'), ...env },
    encoding: 'utf8',
    input,
  })

describe('a full disk is found before the service is asked', () => {
  // Nobody answers there: a request would end with 75.
  const env = {
    SVC_BASE_URL: 'http://127.0.0.1:9',
    SVC_PUBLIC_BASE_URL: 'http://127.0.0.1:9',
    SVC_API_KEY: 'k'.repeat(20),
  }
  beforeEach(() => writeFileSync(join(folder, 'one.json'), '[{"role":"user","content":"hi"}]'))
  const project = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
  const check = ['check', 'one.json', '--annotator', 'structural']

  it.each([
    ['a report', [...check, '--report', 'md=report.md'], 'report.md: cannot write the report'],
    ['a report in a new folder', [...check, '--report', 'md=a/b/report.md'], 'report.md: cannot write the report'],
    ['a baseline', [...check, '--baseline', 'b.json', '--update-baseline'], 'b.json: cannot write the baseline'],
    ['the key', ['auth', 'login', '--with-key', '--force'], 'config.json: cannot write the settings'],
    ['the setup', ['init', '--with-key', '--base-url', env.SVC_BASE_URL], 'config.json: cannot write the settings'],
    [
      'the ledger',
      ['upload', 'one.json', '--ledger', 'state', '--project', project],
      'The upload ledger cannot be written',
    ],
  ])('for %s', (_, argv, message) => {
    const { status, stderr } = withBlocks(0, { argv, env, input: env.SVC_API_KEY })
    expect([status, stderr]).toEqual([3, expect.stringContaining(message)])
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    expect(files.map(({ name }) => name)).toEqual(['one.json'])
  })

  it.runIf(existsSync('/dev/full'))('a device that is full is found, too', async () => {
    const { svc, server } = createShell()
    const files = { 'one.json': '[{"role":"user","content":"hi"}]' }
    const checked = await svc([...check, '--report', 'md=/dev/full'], { files })
    const uploaded = await svc(['upload', '-', '--continue-on-invalid', '--rejects', '/dev/full'], {
      stdin: files['one.json'],
    })
    expect([checked.code, checked.err]).toEqual([3, expect.stringContaining('cannot write the report (ENOSPC)')])
    expect([uploaded.code, uploaded.err]).toEqual([3, expect.stringContaining('cannot write the rejects (ENOSPC)')])
    expect(server.requests).toEqual([])
  })
})

describe('where a file can only be written in part', () => {
  it('keeps the old settings, and reports it', () => {
    const profiles = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`p${i}`, { baseUrl: `https://${i}.example.com` }]),
    )
    const before = JSON.stringify({ schema: 'svc/config@1', profiles })
    writeFileSync(join(folder, 'config.json'), before, { mode: 0o600 })
    const { status, stderr } = withBlocks(1, { argv: ['config', 'set', 'baseUrl', 'https://a.example.com'] })
    expect([status, stderr]).toEqual([3, expect.stringContaining('cannot write the settings (EFBIG)')])
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before)
    expect(readdirSync(folder).filter((name) => name.includes('config.json'))).toEqual(['config.json'])
  })

  it('a converted file is not there at all', () => {
    const conversation = Array.from({ length: 200 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `turn ${i}`,
    }))
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify(conversation))
    const { status, stderr } = withBlocks(4, {
      argv: ['convert', 'conversation.json', '--to', 'upload', '--out', 'out.jsonl'],
    })
    expect([status, stderr]).toEqual([3, expect.stringContaining('EFBIG')])
    expect(readdirSync(folder)).not.toContain('out.jsonl')
  })
})
