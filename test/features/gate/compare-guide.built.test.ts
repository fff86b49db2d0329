import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockService } from '../../helpers/mock-service.js'

const page = readFileSync(new URL('../../../docs/guides/why-did-the-verdict-change.md', import.meta.url), 'utf8')
const [files = '', ...scripts] = blocksOf(page, 'sh')
const [shown = ''] = blocksOf(page, 'text')

let service: Awaited<ReturnType<typeof mockService>>
beforeAll(async () => {
  service = await mockService()
})
afterAll(() => service.close())

/** A folder with the conversations of the page, before and after a change. */
async function reader(n: number): Promise<string> {
  const cwd = join(service.folder, `reader-${n}`)
  mkdirSync(cwd)
  await service.run(['sh', '-e', '-c', files], cwd)
  return cwd
}

describe('docs/guides/why-did-the-verdict-change.md', () => {
  it.each(scripts.map((script, n) => ({ script, n })))('shows a shell session that runs: $n', async ({ script, n }) => {
    const { code, out, err } = await service.run(['sh', '-e', '-c', script], await reader(n))
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    expect(out).not.toBe('')
    if (n === 0) expect(out.endsWith(`\n${shown}`)).toBe(true)
  })

  it('shows that a new version of the annotator changed the verdict of the same content', async () => {
    const script = scripts.find((each) => each.includes('structural-1.1.json')) ?? ''
    const { out } = await service.run(['sh', '-e', '-c', script], await reader(98))
    expect(out).toContain('\nno difference found by content: no transcript changed\n')
    expect(out).toContain('of 12 unchanged 1 now fails, 0 no longer do: no difference found; ')
    expect(out).toContain('order-11  strong → poor (judge)')
  })

  it('shows how the flips of a new version are accepted, and those of changed content are not', async () => {
    const script = scripts.find((each) => each.includes('--accept judge')) ?? ''
    const cwd = await reader(97)
    const { err } = await service.run(['sh', '-e', '-c', script], cwd)
    expect(err).toContain('accepting 1 new finding: ')
    expect(err).toContain('\nof 1 flip none is expected from noise\n')
    const findings = () => {
      const { transcripts } = JSON.parse(readFileSync(join(cwd, 'baseline.json'), 'utf8'))
      return transcripts.flatMap((each: { path: string; findings: object[] }) =>
        each.findings.map((finding) => [each.path, finding]),
      )
    }
    const accepted = { rule: 'outcome', reason: 'annotator 1.0.0 → 1.1.0' }
    expect(findings()).toEqual([['main/conversations/order-11.json', expect.objectContaining(accepted)]])
    const check = 'svc check conversations --annotator structural --baseline ../baseline.json'
    const held = `cd main; ${check}; echo "main $?"; cd ../branch; ${check}; echo "branch $?"`
    const { out } = await service.run(['svc', 'mock', '--script', 'structural-1.1.json', '--', 'sh', '-c', held], cwd)
    expect(out.match(/^(main|branch) \d+$/gm)).toEqual(['main 0', 'branch 100'])
  }, 120_000)

  it('names the check that is missing if transcripts and judge changed together', async () => {
    const [annotator = ''] = /^cat > structural[\s\S]*?^END$/m.exec(page) ?? []
    const script = `${annotator}
(cd main && svc check conversations --annotator structural --report json=../main.json)
cd branch
svc mock --script ../structural-1.1.json -- svc check conversations --annotator structural --report json=../both.json --gate-exit-code 0
svc report compare ../main.json ../both.json --exit-code`
    const { code, out } = await service.run(['sh', '-e', '-c', script], await reader(99))
    expect([code, out]).toEqual([
      101,
      expect.stringMatching(/with structural 1\.1\.0 at \S+ \(10 requests\), then compare/),
    ])
  })
})
