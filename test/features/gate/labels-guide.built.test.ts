import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const page = readFileSync(new URL('../../../docs/guides/labels.md', import.meta.url), 'utf8')
const [files = '', drawing = '', reading = ''] = blocksOf(page, 'sh')
const [shown = ''] = blocksOf(page, 'text')

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

describe('docs/guides/labels.md', () => {
  it('shows how labels are drawn and read, and what a check then says', async () => {
    const cwd = join(service.folder, 'reader')
    mkdirSync(cwd)
    const drawn = await service.run(['sh', '-e', '-c', `${files}${drawing}`], cwd)
    expect([drawn.code, drawn.err]).toEqual([
      0,
      expect.stringContaining('drawn: 30 of 40 that failed, 30 of 160 that passed'),
    ])
    const [, block = ''] = /id="sample">(.*)<\/script>/.exec(readFileSync(join(cwd, 'sample.html'), 'utf8')) ?? []
    const labelled = { failed: 0, passed: 0 }
    const lines = (JSON.parse(block).cases as { sha256: string; stratum: { name: 'failed' | 'passed' } }[]).map(
      ({ sha256, stratum }) => {
        const nth = ++labelled[stratum.name]
        const label = nth <= (stratum.name === 'failed' ? 6 : 2) ? 'bad' : 'good'
        return JSON.stringify({ schema: 'svc/label@1', sha256, label, stratum, by: 'Jo', at: '2026-11-29T10:00:00Z' })
      },
    )
    writeFileSync(join(cwd, 'labels.jsonl'), lines.join('\n'))
    const { code, out } = await service.run(['sh', '-e', '-c', reading], cwd)
    expect(code).toBe(0)
    expect(out).toContain(shown)
  })
})
