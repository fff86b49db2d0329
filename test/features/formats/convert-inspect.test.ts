import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const files = {
  'a.jsonl': ['Hi', 'Bye'].map((content) => `${JSON.stringify({ turns: [{ role: 'user', content }] })}\n`).join(''),
  'b.json': { turns: [{ role: 'user', content: 'Yes' }] },
}
const inputs = ['a.jsonl', 'b.json']

describe('svc convert --to inspect', () => {
  it('prints one log with a sample for each conversation, which it reads again', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', ...inputs, '--to', 'inspect'], { files })
    const { samples } = JSON.parse(out) as { samples: { messages: { content: string }[] }[] }
    expect([code, err]).toEqual([0, '3 transcripts with 3 turns converted to the format inspect\n'])
    expect(samples.map(({ messages }) => messages[0]?.content)).toEqual(['Hi', 'Bye', 'Yes'])
    const again = await svc(['convert', '-', '--to', 'inspect', '--quiet'], { stdin: out })
    expect([again.code, again.out]).toEqual([0, out])
  })

  it('writes the same log with --out, and with --json a log in each line', async () => {
    const { svc, cwd } = createShell()
    const { out } = await svc(['convert', ...inputs, '--to', 'inspect'], { files })
    await svc(['convert', ...inputs, '--to', 'inspect', '--out', 'log.json'])
    expect(readFileSync(join(cwd, 'log.json'), 'utf8')).toBe(out)
    const { lines } = await svc(['convert', ...inputs, '--to', 'inspect', '--json'])
    expect(lines().slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ body: expect.objectContaining({ version: 2 }) })),
    )
  })

  it('prints nothing if any conversation cannot be read', async () => {
    const { svc } = createShell()
    const { code, out } = await svc(['convert', 'a.jsonl', 'c.json', '--to', 'inspect'], {
      files: { ...files, 'c.json': '{"turns":[' },
    })
    expect([code, out]).toEqual([3, ''])
  })
})
