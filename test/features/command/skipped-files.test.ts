import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { createShell } from '../../helpers/run-cli.js'

const conversation = { turns: [{ role: 'user', content: 'hi' }] }
const broken = '{"turns":[{"role":"user","content":"hi"}'

/** A shell, and what is said of paths to files and archives that are written first. */
function reading() {
  const { svc, cwd } = createShell()
  return {
    async of(paths: string[], files: Record<string, unknown> = {}) {
      const { code, out, err } = await svc(['convert', '--detect', ...paths], { files })
      return { code, paths: out.split('\n').flatMap((line) => line.split('\t')[0] || []), err }
    },
    zip(path: string, files: Record<string, unknown>) {
      mkdirSync(join(cwd, path, '..'), { recursive: true })
      const members = Object.entries(files).map(([name, content]) => ({ name, content: textOf(content) }))
      writeFileSync(join(cwd, path), zipOf(...members))
    },
  }
}

const textOf = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content))

describe('a file without a conversation that the command line does not name', () => {
  const foreign = { 'package.json': { name: 'app', version: '1.0.0' }, 'empty.jsonl': '', 'none.json': [] }
  const within = (folder: string, files: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]))

  it('a file without a conversation is skipped in a directory, with a count and the first names', async () => {
    const { of } = reading()
    const more = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`x/${name}.json`, { name }]))
    const { code, paths, err } = await of(
      ['in'],
      within('in', { 'conversation.json': conversation, ...foreign, ...more }),
    )
    expect([code, paths]).toEqual([0, ['in/conversation.json']])
    expect(err).toBe(
      'note: 5 files of unknown format skipped: in/package.json, in/x/a.json, in/x/b.json and 2 more\n' +
        'note: 2 files without content skipped: in/empty.jsonl, in/none.json\n',
    )
  })

  it('a file without a conversation that the command line does not name is skipped in an archive', async () => {
    const { of, zip } = reading()
    zip('in.zip', { 'conversation.json': conversation, ...foreign })
    const { code, paths, err } = await of(['in.zip'])
    expect([code, paths]).toEqual([0, ['in.zip/conversation.json']])
    expect(err).toContain('note: 1 file of unknown format skipped: in.zip/package.json\n')
  })

  it('reports skipped members of every kind of archive', async () => {
    const { of, zip } = reading()
    zip('in.zip', { 'conversation.json': conversation, 'photo.png': 'x', 'notes/a.txt': 'x', '.hidden.json': 'x' })
    const { code, err } = await of(['in.zip'])
    expect([code, err]).toEqual([0, 'note: 2 members of archives not read: in.zip/photo.png, in.zip/notes/a.txt\n'])
  })

  it('a file without a conversation is an error if nothing else was found in the named paths', async () => {
    const { of, zip } = reading()
    zip('in.zip', foreign)
    for (const path of ['in', 'in.zip']) {
      const { code, err } = await of(['conversation.json', path], {
        'conversation.json': conversation,
        ...within('in', foreign),
      })
      expect([code, err]).toEqual([3, expect.stringContaining('svc: The input has 3 problems.')])
      expect(err).toMatch(new RegExp(`^ {2}${path}/package.json:1:1 expected a transcript`, 'm'))
    }
  })

  it('a file without a conversation is an error if the command line names it', async () => {
    const { of } = reading()
    for (const name of Object.keys(foreign)) {
      const { code, err } = await of(['conversation.json', name], { 'conversation.json': conversation, ...foreign })
      expect([code, err]).toEqual([3, expect.stringContaining(`${name}:1:1 `)])
    }
  })

  it('a file without a conversation that the command line does not name is reported in one line, and the formats once', async () => {
    const { err } = await reading().of(['a.json', 'b.json'], { 'a.json': { a: 1 }, 'b.json': { b: 1 } })
    expect(err).toMatch(
      /^svc: The input has 2 problems\.\n {2}a\.json:1:1 .*\n {2}b\.json:1:1 .*\nhint: svc help formats lists the formats\n$/,
    )
  })

  it('a file without a conversation that the command line does not name is an error where it is broken', async () => {
    const { code, err } = await reading().of(
      ['in'],
      within('in', { 'conversation.json': conversation, 'cut.json': broken }),
    )
    expect([code, err]).toEqual([3, expect.stringContaining('in/cut.json:1:')])
  })
})

describe('losses', () => {
  it('losses are reported in one line, with each reason once', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const content = [{ type: 'text', text: 'Look' }, image, image]
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: 'Yes', reasoning: 'Hm' },
    ]
    const { svc } = createShell()
    const files = { 'conversation.json': { messages, temperature: 0, top_p: 1 } }
    expect((await svc(['convert', 'conversation.json'], { files })).err.split('\n')[0]).toBe(
      'note: losses: dropped field "temperature", field "top_p": not recognised; ' +
        'dropped image part (2 times): replaced by a text placeholder; uploads contain text only; ' +
        'dropped thinking: kept only with the option thinking',
    )
  })
})
