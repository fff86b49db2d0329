import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const scriptsOf = (page: string) =>
  blocksOf(readFileSync(new URL(`../../../docs/guides/${page}`, import.meta.url), 'utf8'), 'sh')
const scripts = [...scriptsOf('bulk-upload.md'), ...scriptsOf('many-machines.md')]

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

/** A folder with the files of the page, and a project. */
async function reader(n: number) {
  const cwd = join(service.folder, `reader-${n}`)
  const conversation = (i: number) =>
    JSON.stringify({ name: `conversation ${i}`, turns: [{ role: 'user', content: `Conversation ${i}.` }] })
  mkdirSync(join(cwd, 'conversations'), { recursive: true })
  for (let i = 0; i < 9; i++) writeFileSync(join(cwd, 'conversations', `${i}.json`), conversation(i))
  writeFileSync(join(cwd, 'conversations.jsonl'), Array.from({ length: 9 }, (_, i) => conversation(i)).join('\n'))
  const project = await service.createProject(`reader ${n}`)
  return { cwd, project, env: { SVC_PROJECT: project, SVC_STATE_DIR: join(cwd, 'state') } }
}

describe('docs/guides/bulk-upload.md and many-machines.md', () => {
  it('shows more than a few shell sessions', () => {
    expect(scripts.length).toBeGreaterThan(8)
  })

  it.each(scripts.map((script, n) => ({ script, n })))('shows a shell session that runs: $script', async (each) => {
    const { cwd, project, env } = await reader(each.n)
    const { code, err } = await service.run(['sh', '-e', '-c', each.script], cwd, env)
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    const names = await service.stored(project)
    // All of them, a half or none, and never one of them twice.
    expect(new Set(names).size).toBe(names.length)
    const isWhole = /svc upload (?!.*(--dry-run|--shard 1\/2))/.test(each.script)
    if (isWhole) expect(names).toHaveLength(9)
  })
})
