import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Format } from '@svc/transcripts'
import { afterAll, describe, expect, it } from 'vitest'
import { newFormat } from '../../../packages/transcripts/new-format.js'
import { readersText } from '../../../packages/transcripts/readers.js'
import { blocksOf } from '../../helpers/blocks.js'
import { createShell } from '../../helpers/run-cli.js'
import { casesIn, rendered } from './cases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const guide = read('docs/guides/adding-a-format.md')
const contributing = read('packages/transcripts/CONTRIBUTING.md')
const folder = mkdtempSync(join(tmpdir(), 'svc-new-format-'))
afterAll(() => rmSync(folder, { recursive: true }))

const blockOf = (page: string, language: string, at = 0): string => blocksOf(page, language)[at] ?? ''

/** A folder with what a skeleton needs of the repository. */
function checkout(name: string): { at: (path: string) => string; path: string } {
  const path = join(folder, name)
  const at = (inner: string) => join(path, inner)
  mkdirSync(at('packages/transcripts/src/formats'), { recursive: true })
  for (const inner of ['contract', 'declared']) {
    symlinkSync(join(root, 'packages/transcripts/src', inner), at(`packages/transcripts/src/${inner}`))
  }
  return { at, path }
}

/** The files of a format without their endings. */
const formatOf = (id: string) => `packages/transcripts/src/formats/${id}/${id}`

/** The cases of a format in a checkout: as they are written, and as its reader renders them. */
async function casesOf(
  at: (path: string) => string,
  id: string,
  name: string,
): Promise<[written: string, read: string]> {
  const file = at(`${formatOf(id)}.cases.txt`)
  const url = pathToFileURL(at(`${formatOf(id)}.ts`)).href
  const formats: Format[] = [(await import(/* @vite-ignore */ `${url}?${Math.random()}`))[name]]
  const read = casesIn(file).map(({ text, options }) => rendered(text, { ...options, formats }))
  const written = readFileSync(file, 'utf8')
  return [written.replaceAll(/^(#|>|options\b).*\n/gm, ''), `${read.join('\n')}\n`]
}

describe('packages/transcripts/CONTRIBUTING.md', () => {
  it('followed step by step, gives a format whose cases pass', async () => {
    const { at, path } = checkout('guide')
    newFormat(path, 'desk-bot')
    const list = readersText(at('packages/transcripts/src/formats/'))
    expect(list).toContain("import { deskBot } from './desk-bot/desk-bot.js'")
    writeFileSync(at(`${formatOf('desk-bot')}.cases.txt`), blockOf(contributing, 'text'))
    writeFileSync(at(`${formatOf('desk-bot')}.ts`), blockOf(contributing, 'typescript'))
    const [written, read] = await casesOf(at, 'desk-bot', 'deskBot')
    expect(read).toBe(written)
  })

  it('begins with cases and a page that fail until each TODO is replaced', async () => {
    const { at, path } = checkout('skeleton')
    expect(newFormat(path, 'my-bot').map((file) => file.slice(path.length + 1))).toEqual([
      `${formatOf('my-bot')}.ts`,
      `${formatOf('my-bot')}.cases.txt`,
      `${formatOf('my-bot')}.md`,
    ])
    const [written, read] = await casesOf(at, 'my-bot', 'myBot')
    expect(read).not.toBe(written)
    const format = at(`${formatOf('my-bot')}.ts`)
    const filled = readFileSync(format, 'utf8')
      .replace('TODO messages[].TODO', 'messages[].sender')
      .replace("role: 'TODO'", "role: 'sender'")
      .replace("user: 'TODO', assistant: 'TODO'", "user: 'customer', assistant: 'bot'")
      .replace("text: 'TODO'", "text: 'text'")
    writeFileSync(format, filled)
    const [asWritten, asRead] = await casesOf(at, 'my-bot', 'myBot')
    expect(asRead).toBe(asWritten)
    expect(readFileSync(at(`${formatOf('my-bot')}.md`), 'utf8')).toMatch(/^TODO/)
  })

  it('has a skeleton for a text, too', async () => {
    const { at, path } = checkout('text')
    newFormat(path, 'call-notes', { isText: true })
    const format = at(`${formatOf('call-notes')}.ts`)
    const filled = readFileSync(format, 'utf8').replace('/^TODO/', '/^Call of /')
    const [written, read] = await casesOf(at, 'call-notes', 'callNotes')
    expect(read).not.toBe(written)
    writeFileSync(format, filled)
    const [asWritten, asRead] = await casesOf(at, 'call-notes', 'callNotes')
    expect(asRead).toBe(asWritten)
  })

  it('refuses a name that is no id, or that is there already', () => {
    const { path } = checkout('names')
    newFormat(path, 'my-bot')
    expect(() => newFormat(path, 'my-bot')).toThrow('already exists')
    expect(() => newFormat(path, 'My_Bot')).toThrow('is not lower-case words with hyphens')
  })
})

it('the guide for a format of your own, followed step by step, converts and uploads the file', async () => {
  const { svc, server } = createShell()
  const files = { 'calls.jsonl': blockOf(guide, 'jsonl'), 'my-format.mjs': blockOf(guide, 'js') }
  const commands = blockOf(guide, 'sh', 0).trim().split('\n')
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const { code, err } = await svc(command.split(' ').slice(1), { files })
    expect([code, err]).toEqual([0, expect.any(String)])
  }
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

it.each([
  ['a format', blockOf(guide, 'js', 1)],
  [
    'its declaration alone',
    blockOf(guide, 'js', 1)
      .replace(/^import .*/, '')
      .replace('defineTextFormat({', '({'),
  ],
])('the guide for a text of your own converts the text with %s', async (_, program) => {
  const { svc } = createShell()
  const files = { 'monday.txt': blockOf(guide, 'text'), 'call-notes.mjs': program }
  const { code, out } = await svc(blockOf(guide, 'sh', 1).trim().split(' ').slice(1), { files })
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      name: 'Call of Monday',
      turns: [
        { role: 'user', content: 'Where is my order?' },
        { role: 'assistant', content: 'On its way.\nIt comes today.' },
      ],
    },
  ])
})
