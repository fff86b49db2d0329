import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const page = readFileSync(new URL('../../../docs/guides/check-in-ci.md', import.meta.url), 'utf8')
const scripts = blocksOf(page, 'sh')
const [policy = ''] = blocksOf(page, 'json')

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

/** A folder with what the page speaks of. */
function reader(n: number): string {
  const cwd = join(service.folder, `reader-${n}`)
  for (const folder of ['a', 'b', 'legacy']) {
    mkdirSync(join(cwd, 'conversations', folder), { recursive: true })
    const turns = [
      { role: 'user', content: `What is the capital of ${folder}?` },
      { role: 'assistant', content: 'I would have to look.' },
    ]
    writeFileSync(join(cwd, 'conversations', folder, 'conversation.json'), JSON.stringify(turns))
  }
  mkdirSync(join(cwd, '.git'))
  writeFileSync(join(cwd, 'svc.checks.json'), policy)
  return cwd
}

describe('docs/guides/check-in-ci.md', () => {
  it('shows more than a few shell sessions', () => {
    expect(scripts.length).toBeGreaterThan(6)
  })

  it.each(scripts.map((script, n) => ({ script, n })))('shows a shell session that runs: $script', async (each) => {
    const { code, out, err } = await service.run(['sh', '-e', '-c', each.script], reader(each.n))
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    expect(out).not.toBe('')
  })

  it('sends no annotation request the second time, as it says', async () => {
    const script = scripts.find((each) => each.includes('--dry-run')) ?? ''
    const { err } = await service.run(['sh', '-e', '-c', script], reader(99), { SVC_CACHE_DIR: 'kept' })
    expect(err.match(/^\d+ requests?(?=.* would be made for 3 transcripts)/gm)).toEqual(['3 requests', '0 requests'])
  })
})
