import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'

/** A conversation, and where a check of the named paths has to find it. */
export interface NamedRecord {
  path: string
  content: string
}

/** The content of the paths on the command line. */
export interface Named {
  records: NamedRecord[]
  /** The reasons why nothing may pass: files and links that no check can judge. */
  unjudgeable: string[]
}

export const messagesOf = (content: string) => [
  { role: 'user', content },
  { role: 'assistant', content: 'Well.' },
]

const conversationOf = (content: string) => ({ messages: messagesOf(content) })
const linesOf = (contents: readonly string[]) =>
  contents.map((each) => `${JSON.stringify(conversationOf(each))}\n`).join('')
const first = (contents: readonly string[]) => JSON.stringify(messagesOf(contents[0] ?? ''))

interface Form {
  ending: string
  bytes(contents: readonly string[]): string | Uint8Array
  /** The contents that a check finds. Default: all. */
  holds?(contents: readonly string[]): readonly string[]
  isDamaged?: boolean
}

const onlyFirst = (contents: readonly string[]) => contents.slice(0, 1)
const none = () => []

const forms: Record<string, Form> = {
  json: { ending: 'json', bytes: first, holds: onlyFirst },
  lines: { ending: 'jsonl', bytes: linesOf },
  list: { ending: 'json', bytes: (contents) => JSON.stringify(contents.map(conversationOf)) },
  table: {
    ending: 'csv',
    bytes: (contents) =>
      `conversation_id,role,content\n${contents
        .flatMap((each, at) => messagesOf(each).map(({ role, content }) => `${at},${role},${content}\n`))
        .join('')}`,
  },
  compressed: { ending: 'jsonl.gz', bytes: (contents) => gzipSync(linesOf(contents)) },
  archive: { ending: 'zip', bytes: (contents) => zipOf({ name: 'all.jsonl', content: linesOf(contents), method: 8 }) },
  'a pipe': { ending: 'json', bytes: () => '', holds: none },
  notes: { ending: 'md', bytes: () => '# Notes', holds: none },
}

const damaged: Record<string, Form> = {
  'a cut JSON text': { ending: 'json', bytes: (contents) => first(contents).slice(0, -4) },
  'a text cut in its middle': { ending: 'json', bytes: (contents) => first(contents).slice(0, 30) },
  'an empty file': { ending: 'json', bytes: () => '' },
  'only blanks': { ending: 'jsonl', bytes: () => ' \n\n' },
  'an empty list': { ending: 'json', bytes: () => '[]' },
  'no transcript': { ending: 'json', bytes: () => '{"some": "thing"}' },
  'a cut last line': { ending: 'jsonl', bytes: (contents) => linesOf(contents).slice(0, -6) },
  'bytes that are no text': { ending: 'csv', bytes: () => Buffer.from([0, 1, 2, 255, 254, 0, 7]) },
  'no archive': { ending: 'zip', bytes: () => 'PK\u0003\u0004 nothing of the kind' },
  'a cut archive': {
    ending: 'zip',
    bytes: (contents) => zipOf({ name: 'all.jsonl', content: linesOf(contents), method: 8 }).slice(0, -30),
  },
  'cut compressed bytes': { ending: 'jsonl.gz', bytes: (contents) => gzipSync(linesOf(contents)).subarray(0, -9) },
  unreadable: { ending: 'json', bytes: first },
}

const allForms: Record<string, Form> = {
  ...forms,
  ...Object.fromEntries(Object.entries(damaged).map(([name, form]) => [name, { ...form, isDamaged: true }])),
}

const whole = fc.constantFrom('json', 'lines', 'list', 'table', 'compressed', 'archive')
export const damage = fc.constantFrom(...Object.keys(damaged))
export const links = fc.constantFrom(
  ...['a file inside', 'a file outside', 'a folder outside', 'a circle', 'a chain', 'nothing'],
)
const of = fc.array(fc.nat(9), { minLength: 1, maxLength: 3 })

/** A file in the folder `t`. */
interface DrawnFile {
  folder: string
  form: string
  /** The conversations in it, by their number. */
  of: readonly number[]
  prefix: string
}

export interface Tree {
  files: readonly DrawnFile[]
  links: readonly string[]
  isRepository: boolean
}

const file: fc.Arbitrary<DrawnFile> = fc.record({
  folder: fc.constantFrom('t', 't', 't/a', 't/a/b', 't/c', 't/.hidden'),
  form: fc.oneof(
    { weight: 20, arbitrary: whole },
    { weight: 1, arbitrary: fc.constantFrom('a pipe', 'notes') },
    { weight: 2, arbitrary: damage },
  ),
  of,
  prefix: fc.oneof({ weight: 8, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom('.', 'skip-') }),
})

export const trees: fc.Arbitrary<Tree> = fc.record({
  files: fc.array(file, { minLength: 1, maxLength: 5 }),
  links: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(links, { maxLength: 2 }) },
  ),
  isRepository: fc.boolean(),
})

/** A tree of which each file can be judged. */
export const wholeTrees: fc.Arbitrary<Tree> = fc.record({
  files: fc.array(fc.record({ folder: fc.constantFrom('t', 't/a', 't/c'), form: whole, of, prefix: fc.constant('') }), {
    minLength: 1,
    maxLength: 3,
  }),
  links: fc.constant([]),
  isRepository: fc.boolean(),
})

const outside: NamedRecord = { path: 'outside/o.json', content: 'c0 outside' }

/** Write a tree into a folder, and give what paths name in it. */
export function plantTree(cwd: string, { files, links, isRepository }: Tree, contentOf: (n: number) => string) {
  const put = (path: string, bytes: string | Uint8Array) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), bytes)
  }
  for (const folder of ['t/a/b', 't/c', 'outside']) mkdirSync(join(cwd, folder), { recursive: true })
  if (isRepository) mkdirSync(join(cwd, '.git'))
  put(outside.path, first([outside.content]))
  const planted = files.map(({ folder, form: name, of, prefix }, n) => {
    const form = allForms[name] as Form
    const isUnreadable = name === 'unreadable'
    const path = `${folder}/${prefix}${n}${isUnreadable ? '-unreadable' : ''}.${form.ending}`
    // Equal lines of a file are one conversation each.
    const contents = of.map(contentOf)
    if (name === 'a pipe') {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      execFileSync('mkfifo', [join(cwd, path)])
    } else put(path, form.bytes(contents))
    const held = form.isDamaged ? [] : (form.holds?.(contents) ?? contents)
    return { path, kind: name, isDamaged: form.isDamaged === true, held, isSkipped: prefix === 'skip-' }
  })
  for (const [n, kind] of links.entries()) {
    const at = `t/link${n}${/folder|circle/.test(kind) ? '' : '.json'}`
    const link = (target: string, path = at) => symlinkSync(target, join(cwd, path))
    if (kind === 'a file inside') link(planted[0]?.path.replace(/^t\//, '') ?? 'gone.json')
    if (kind === 'a file outside') link('../outside/o.json')
    if (kind === 'a folder outside') link('../outside')
    if (kind === 'a circle') link('.')
    if (kind === 'nothing') link('gone.json')
    if (kind === 'a chain') {
      link(`hop${n}.json`)
      link('../outside/o.json', `t/hop${n}.json`)
    }
  }

  function named(paths: readonly string[], isExcluding: boolean): Named {
    const records: NamedRecord[] = []
    const unjudgeable: string[] = []
    for (const { path, kind, isDamaged, held, isSkipped } of planted) {
      const isHidden = /(^|\/)\./.test(path)
      const isFound = paths.some((each) => (each === path ? true : !isHidden && isBelow(path, each)))
      if (!isFound || (isSkipped && isExcluding)) continue
      if (isDamaged) unjudgeable.push(`${kind}: ${path}`)
      for (const content of held) records.push({ path, content })
    }
    if (paths.some((each) => isBelow('t/link.json', each)))
      for (const kind of links) {
        if (kind === 'nothing') unjudgeable.push('a link to nothing')
        // It is followed, or it is not judged.
        if (/outside|chain/.test(kind)) records.push(outside)
      }
    return { records, unjudgeable }
  }

  /** Every file that can be named by itself. */
  const single = planted.filter(({ kind }) => kind !== 'a pipe' && kind !== 'notes').map(({ path }) => path)
  return { named, single }
}

/** True if a named folder, or a pattern of all below it, holds a path. */
function isBelow(path: string, named: string): boolean {
  const folder = named.replace(/\/(\*\*\/\*|\.)$/, '').replace(/^\.\//, '')
  return path.startsWith(`${folder === 't/a/..' ? 't' : folder}/`)
}
