import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@svc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const page = readFileSync(new URL('../../../docs/guides/stored-transcripts.md', import.meta.url), 'utf8')
const scripts = blocksOf(page, 'sh')

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
  const client = createClient({ environment: service.env })
  const project = service.env.SVC_PROJECT ?? ''
  const sourceTimestamp = new Date(Date.now() - 3 * 3_600_000)
  for (let order = 0; order < 30; order++) {
    const asked = { role: 'user' as const, content: `Where is order ${order}?` }
    const answer = { role: 'assistant' as const, content: `It was shipped on Monday, order ${order}.` }
    const turns = order % 3 === 0 ? [asked, answer, { ...asked, content: 'And the other?' }] : [asked, answer]
    await client.transcripts.upload(project, { name: `Order ${order}`, turns, sourceTimestamp })
  }
})
afterAll(() => service.close())

function reader(name: string): string {
  const cwd = join(service.folder, name)
  mkdirSync(cwd)
  return cwd
}

describe('docs/guides/stored-transcripts.md', () => {
  it.each(scripts.map((script, n) => ({ script, n })))('shows a shell session that runs: $script', async (each) => {
    const cwd = reader(`reader-${each.n}`)
    const { code, err } = await service.run(['sh', '-e', '-c', each.script], cwd)
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
  })

  it('shows the worst twenty, and asks about them once', async () => {
    const script = scripts.find((each) => each.includes('worst.txt')) ?? ''
    const cwd = reader('worst')
    await service.run(
      [
        'sh',
        '-e',
        '-c',
        `${script}\nsvc check week --annotator structural --files-from worst.txt --fail-on none --json > worst.json`,
      ],
      cwd,
    )
    const { cases, requests } = JSON.parse(readFileSync(join(cwd, 'worst.json'), 'utf8'))
    const outcomes = cases.map(({ outcome }: { outcome: string }) => outcome)
    expect([cases.length, requests.sent, outcomes.filter((each: string) => each !== 'strong').length]).toEqual([
      20, 0, 10,
    ])
    expect(readFileSync(join(cwd, 'worst.html'), 'utf8')).toContain('Order 27')
  })
})
