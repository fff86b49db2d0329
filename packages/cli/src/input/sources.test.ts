import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openFile, openStream } from '@svc/transcripts/containers'
import { afterAll, describe, expect, it } from 'vitest'
import type { InputFiles } from './files.js'
import { InputProblem } from './input-problem.js'
import { readConversations } from './read.js'
import { inputOf } from './sessions/index.js'

const home = mkdtempSync(join(tmpdir(), 'input-'))
afterAll(() => rmSync(home, { recursive: true }))
mkdirSync(join(home, 'empty'))
writeFileSync(join(home, 'one.json'), '{"turns":[{"role":"user","content":"Hi"}]}')

const at = (path: string) => resolve(home, path)
const never = new AbortController().signal
const files: InputFiles = {
  env: {},
  stop: never,
  checkpoint: async () => {},
  openStdin: async (keepBytes) => openStream(new Blob(['[]']).stream(), keepBytes),
  openFile: (path) => openFile(at(path)),
  readFile: () => Promise.reject(new Error('not needed here')),
  readEnds: () => Promise.reject(new Error('not needed here')),
  readDirectory: async (path) =>
    (await readdir(at(path), { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'directory' : 'file',
    })),
  isThere: () => false,
  kindOf: async (path) => ((await stat(at(path))).isDirectory() ? 'directory' : 'file'),
  realPath: (path) => realpath(at(path)),
  linkAt: async (path) => ((await lstat(at(path)).catch(() => undefined))?.isSymbolicLink() ? at(path) : undefined),
  fileId: () => undefined,
  resolve: at,
  writeTarget: async (path) => ({ place: at(path), isThrough: false }),
}

const now = Date.parse('2026-01-01T00:00:00Z')

describe('the input of a command', () => {
  it('reads the conversations of a named file with nothing but the files that it is given', async () => {
    const input = await inputOf(files, ['one.json'], {}, { now })
    const { conversations, problems, notes } = await readConversations(input.sources, {}, now)
    expect(conversations.map(({ source, name, part }) => [source.path, name, part])).toEqual([['one.json', 'one', 1]])
    expect([problems, notes, input.notes]).toEqual([[], [], []])
  })

  it.each<[string, string[], object]>([
    ['missing_input', [], {}],
    ['conflicting_options', ['one.json'], { sessions: 'codex' }],
    ['conflicting_options', ['one.json'], { cwd: '.' }],
    ['stdin_twice', ['-', '-'], {}],
    ['unreadable', ['none.json'], {}],
    ['nothing_found', ['empty'], {}],
    ['nothing_found', ['*.csv'], {}],
    ['invalid_pattern', ['***[.json'], {}],
    ['invalid_pattern', ['one.json'], { exclude: ['a{b/c}'] }],
  ])('says by the code %s why it cannot use %j with %j', async (code, paths, flags) => {
    const { failure } = await inputOf(files, paths, flags, { now }).catch((failure: unknown) => ({ failure }))
    expect(failure).toBeInstanceOf(InputProblem)
    expect(failure).toMatchObject({ code })
  })

  it('says that nothing was found by the code that its caller gives', async () => {
    const { failure } = await inputOf(files, ['empty'], {}, { now, whenEmpty: 'missing_input' })
    expect(failure?.code).toBe('missing_input')
  })
})
