import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const page = readFileSync(new URL('../../../docs/guides/check-in-ci.md', import.meta.url), 'utf8')
const [files = '', ...scripts] = blocksOf(page, 'sh')
const [policy = ''] = blocksOf(page, 'json')

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

/** A folder with the files of the page. */
async function reader(n: number): Promise<string> {
  const cwd = join(service.folder, `reader-${n}`)
  mkdirSync(join(cwd, '.git'), { recursive: true })
  await service.run(['sh', '-e', '-c', files], cwd)
  writeFileSync(join(cwd, 'svc.checks.json'), policy)
  return cwd
}

describe('docs/guides/check-in-ci.md', () => {
  it('shows more than a few shell sessions', () => {
    expect(scripts.length).toBeGreaterThan(6)
  })

  it.each(scripts.map((script, n) => ({ script, n })))('shows a shell session that runs: $script', async (each) => {
    const { code, out, err } = await service.run(['sh', '-c', each.script], await reader(each.n))
    expect([0, 100]).toContain(code)
    expect(err.split('\n').filter((line) => line.startsWith('svc:'))).toEqual([])
    expect(out).not.toBe('')
  })

  it('shows a finding, and a baseline that accepts it', async () => {
    const run = (part: string, cwd: string) =>
      service.run(['sh', '-c', scripts.find((each) => each.includes(part)) ?? ''], cwd)
    const cwd = await reader(98)
    expect((await run('--fail-on poor', cwd)).out).toContain('unanswered_user_turn  “Is it?”')
    expect((await run('--reason', cwd)).err).toContain('accepting 1 new finding: ')
    expect((await run('\nsvc check conversations/ --annotator structural --baseline', cwd)).code).toBe(0)
  })

  it('sends no annotation request the second time, as it says', async () => {
    const script = scripts.find((each) => each.includes('--dry-run')) ?? ''
    const { err } = await service.run(['sh', '-c', script], await reader(99), { SVC_CACHE_DIR: 'kept' })
    expect(err.match(/^\d+ requests?(?=.* would be made for 2 transcripts)/gm)).toEqual(['2 requests', '0 requests'])
  })
})
