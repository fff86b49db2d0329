import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { createShell } from '../../helpers/run-cli.js'

const conversation = { turns: [{ role: 'user', content: 'Hi' }] }
const session = { session_id: 's', total_messages: 3, stats: {} }
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n'

describe('a file of a product that is not read', () => {
  it('is named by svc convert --detect, with the files that are read', async () => {
    const { svc } = createShell()
    const files = { 'a.json': conversation, 'b.json': session, 'c.db': 'SQLite format 3\0' }
    const { code, out, err } = await svc(['convert', '--detect', 'a.json', 'b.json', 'c.db'], { files })
    expect(out.split('\n').map((line) => line.split('\t').slice(0, 3))).toEqual([
      ['a.json', 'turns', '1'],
      ['b.json', 'summary of a Mistral Vibe session (not supported)', '0'],
      ['c.db', 'SQLite database (not supported)', '0'],
      [''],
    ])
    expect([code, err]).toEqual([
      3,
      `svc: The input has 2 problems.
  b.json:1:1 This is a summary of a Mistral Vibe session; it holds no messages. Give the messages.jsonl beside it.
  c.db:1:1 This is a SQLite database; it cannot be read. Export the conversations as JSON, as with sqlite3 -json.
`,
    ])
  })

  it('is a document of svc convert --detect --json without a format', async () => {
    const { svc } = createShell()
    const { lines } = await svc(['convert', '--detect', 'b.json', '--json'], { files: { 'b.json': session } })
    expect(lines()[0]).toMatchObject({
      schema: 'svc/detect@1',
      path: 'b.json',
      format: null,
      product: 'a summary of a Mistral Vibe session',
      transcripts: 0,
    })
  })

  it.each([['convert'], ['upload'], ['annotate', '--annotator', 'a']])(
    'is refused by svc %s without a hint at --format',
    async (...argv) => {
      const { svc } = createShell()
      const { code, err } = await svc([...argv, 'b.json'], { files: { 'b.json': session } })
      expect([code, err]).toEqual([
        3,
        expect.stringContaining('b.json:1:1 This is a summary of a Mistral Vibe session; it holds no messages.'),
      ])
      expect(err).not.toContain('--format')
    },
  )

  it('is left out of a folder with a note, but a pointer to a file that is missing is a problem', async () => {
    const { svc } = createShell()
    const files = { 'in/a.json': conversation, 'in/b.json': session }
    const { code, err } = await svc(['convert', 'in'], { files })
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('note: 1 file without a whole conversation skipped: in/b.json\n'),
    ])
    const missing = await svc(['convert', 'in'], { files: { 'in/c.jsonl': pointer } })
    expect([missing.code, missing.err]).toEqual([
      3,
      expect.stringContaining(
        'in/c.jsonl:1:1 This is a Git LFS pointer; it cannot be read. Get the file with git lfs pull.',
      ),
    ])
  })

  it('is not judged by svc check, with its name in the report', async () => {
    const { svc } = createShell()
    const { code, json } = await svc(['check', 'in', '--annotator', 'structural', '--json'], {
      files: {
        'in/a.json': { turns: [...conversation.turns, { role: 'assistant', content: 'Hello' }] },
        'in/b.json': session,
      },
    })
    const { cases } = json() as { cases: { path: string; detail?: string }[] }
    expect(code).toBe(101)
    expect(JSON.stringify(cases)).toContain('This is a summary of a Mistral Vibe session')
  })

  it.each([
    ['an Excel workbook', ['[Content_Types].xml', 'xl/workbook.xml'], /it cannot be read. Save each sheet as CSV/],
    ['a Word document', ['[Content_Types].xml', 'word/document.xml'], /it cannot be read/],
  ])('is named if it is a zip archive: %s', async (product, names, next) => {
    const { svc, cwd } = createShell()
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, 'file.zip'), zipOf(...names.map((name) => ({ name, content: 'x' }))))
    const { code, lines, err } = await svc(['convert', '--detect', 'file.zip', '--json'])
    expect([code, lines()[0]]).toMatchObject([3, { path: 'file.zip', format: null, product }])
    expect(err).toMatch(next)
  })
})

it('names the option --format with the format that may help, and for no other file', async () => {
  const { svc } = createShell()
  const half = '{"messages":[{"role":"user","content":"Hi"}]}\n{"x":1}\n{"x":2}\n'
  const some = await svc(['convert', 'half.jsonl'], { files: { 'half.jsonl': half } })
  expect(some.err).toContain('1 of the first 3 records look like openai-chat: --format openai-chat reads it as that\n')
  const none = await svc(['convert', 'none.json'], { files: { 'none.json': '{"x":1}' } })
  expect(none.err).toContain('hint: svc help formats lists the formats\n')
})

it('prints at most 20 lines about a file, and how many more there are', async () => {
  const { svc } = createShell()
  const wrong = (n: number) => JSON.stringify({ turns: [{ role: `pilot ${n}`, content: 'Hi' }] })
  const lines = [JSON.stringify(conversation), ...Array.from({ length: 50 }, (_, n) => wrong(n))]
  const files = { 'a.jsonl': `${lines.join('\n')}\n`, 'b.json': wrong(0) }
  for (const argv of [
    ['convert'],
    ['convert', '--detect'],
    ['upload', '--project', 'hp-00000000-0000-4000-8000-000000000000'],
    ['annotate', '--annotator', 'a'],
  ]) {
    const { code, err } = await svc([...argv, 'a.jsonl', 'b.json'], { files })
    expect([code, err.split('\n').filter((line) => line.startsWith('  a.jsonl:'))]).toEqual([
      3,
      expect.objectContaining({ length: 21 }),
    ])
    expect(err).toContain('51 problems')
    expect(err).toContain('  a.jsonl: and 30 more problems\n  b.json:1:')
  }
})

it('prints equal problems of a file in one line', async () => {
  const { svc } = createShell()
  const wrong = JSON.stringify({ turns: [{ role: 'pilot', content: 'Hi' }] })
  const { err } = await svc(['convert', 'a.jsonl'], { files: { 'a.jsonl': `${wrong}\n`.repeat(3) } })
  expect(err).toMatch(/3 problems/)
  expect(err.split('\n').filter((line) => line.startsWith('  a.jsonl:'))).toEqual([
    expect.stringMatching(/^ {2}a\.jsonl:1:\d+ .*"pilot" \(and at 2 other places\)$/),
  ])
})
