import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const scriptsOf = (page: string) =>
  blocksOf(readFileSync(new URL(`../../../docs/guides/${page}`, import.meta.url), 'utf8'), 'sh')
const pages = ['bulk-upload.md', 'many-machines.md'].map(scriptsOf)
const scripts = pages.flatMap(([files = '', ...others]) => others.map((script) => ({ files, script })))

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

/** A folder with the files of the page, and a project. */
async function reader(n: number, files: string) {
  const cwd = join(service.folder, `reader-${n}`)
  mkdirSync(cwd)
  await service.run(['sh', '-e', '-c', files], cwd)
  const project = await service.createProject(`reader ${n}`)
  return { cwd, project, env: { SVC_PROJECT: project, SVC_STATE_DIR: join(cwd, 'state') } }
}

describe('docs/guides/bulk-upload.md and many-machines.md', () => {
  it('shows more than a few shell sessions', () => {
    expect(scripts.length).toBeGreaterThan(8)
  })

  it.each(scripts.map((each, n) => ({ ...each, n })))('shows a shell session that runs: $script', async (each) => {
    const { cwd, project, env } = await reader(each.n, each.files)
    const isVerdict = each.script.includes('--dry-run --json')
    if (isVerdict) await service.run(['svc', 'upload', 'conversations/'], cwd, env)
    const { code, out, err } = await service.run(['sh', '-e', '-c', each.script], cwd, env)
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    const names = await service.stored(project)
    // All of them, a half or none, and never one of them twice.
    expect(new Set(names).size).toBe(names.length)
    const isWhole = /svc upload (?!.*(--dry-run|--shard 1\/2))/.test(each.script)
    if (isWhole || isVerdict) expect(names).toHaveLength(10)
    if (isVerdict) expect(out).toContain('"planned":0,')
  })
})
