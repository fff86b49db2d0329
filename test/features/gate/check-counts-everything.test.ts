import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { createShell } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** Contents of files. `isGood`: a check of the file alone passes; undefined if its name is not that of a transcript. */
const contents: Record<string, { name: string; text(n: number): string; isGood: boolean | undefined }> = {
  strong: { name: 'json', text: (n) => JSON.stringify(conversation(`strong s${n}`)), isGood: true },
  'two records': { name: 'jsonl', text: (n) => lines(`strong a${n}`, `mixed b${n}`), isGood: true },
  poor: { name: 'json', text: (n) => JSON.stringify(conversation(`poor s${n}`)), isGood: false },
  'one poor of two': { name: 'jsonl', text: (n) => lines(`strong a${n}`, `poor b${n}`), isGood: false },
  indeterminate: { name: 'json', text: (n) => JSON.stringify(conversation(`indeterminate s${n}`)), isGood: false },
  'no such outcome': { name: 'json', text: (n) => JSON.stringify(conversation(`superb s${n}`)), isGood: false },
  'malformed answer': { name: 'json', text: (n) => JSON.stringify(conversation(`malformed s${n}`)), isGood: false },
  refused: { name: 'json', text: () => JSON.stringify(conversation('422')), isGood: false },
  'an outage': { name: 'json', text: () => JSON.stringify(conversation('503')), isGood: false },
  empty: { name: 'json', text: () => '', isGood: false },
  'cut off': { name: 'json', text: (n) => JSON.stringify(conversation(`strong s${n}`)).slice(0, -5), isGood: false },
  'a damaged second line': { name: 'jsonl', text: (n) => `${lines(`strong a${n}`)}{"messages": [\n`, isGood: false },
  'no transcript': { name: 'json', text: () => '{"some": "thing"}', isGood: false },
  'an empty list': { name: 'json', text: () => '[]', isGood: false },
  'no archive': { name: 'zip', text: () => 'PK nothing of the kind', isGood: false },
  'bytes that are no text': { name: 'csv', text: () => '\u0000\u0001\u0002', isGood: false },
  notes: { name: 'md', text: () => '# Notes', isGood: undefined },
}

const lines = (...words: string[]): string =>
  words.map((each) => `${JSON.stringify({ turns: conversation(each) })}\n`).join('')

const kind = fc.constantFrom(...Object.keys(contents), 'strong', 'strong', 'two records')
const file = fc.record({
  in: fc.constantFrom('t', 't/deep', 't/deep/er'),
  kind,
  isHidden: fc.nat(9),
  isSkipped: fc.nat(5),
})
const link = fc.constantFrom('file inside', 'file outside', 'folder outside', 'circle', 'nothing')
const run = fc.record({
  files: fc.array(file, { maxLength: 5 }),
  links: fc.array(link, { maxLength: 2 }),
  named: fc.subarray(['t', './t/', 't/deep/..', 't/**/*', 'named.json'], { minLength: 1 }),
  isRepository: fc.boolean(),
  flags: fc.subarray(['--follow-links', '--exclude=skip-*', '--attempts=2', '--no-cache', '--concurrency=1'], {}),
})

it('svc check ends with 0 if and only if everything that was named was judged and is good', async () => {
  let passed = 0
  await fc.assert(
    fc.asyncProperty(run, async ({ files, links, named, isRepository, flags }) => {
      const shell = shellWithMalformedAnswers()
      const put = (path: string, text: string) => {
        mkdirSync(dirname(join(shell.cwd, path)), { recursive: true })
        writeFileSync(join(shell.cwd, path), text)
      }
      mkdirSync(join(shell.cwd, 't/deep/er'), { recursive: true })
      if (isRepository) mkdirSync(join(shell.cwd, '.git'))
      put('outside/o.json', JSON.stringify(conversation('strong outside')))
      put('named.json', JSON.stringify(conversation('strong named')))
      const isExcluding = flags.includes('--exclude=skip-*')
      const walks = named.some((path) => path !== 'named.json')
      /** By real path, whether each candidate is good. */
      const candidates = new Map<string, boolean>()
      if (named.includes('named.json')) candidates.set('named.json', true)
      put('t/deep/base.json', JSON.stringify(conversation('strong base')))
      if (walks) candidates.set('t/deep/base.json', true)
      for (const [n, { in: folder, kind, isHidden, isSkipped }] of files.entries()) {
        const content = contents[kind]
        if (!content) continue
        const path = `${folder}/${isHidden === 0 ? '.' : ''}${isSkipped === 0 ? 'skip-' : ''}${n}.${content.name}`
        put(path, content.text(n))
        const isConsidered = walks && isHidden !== 0 && !(isExcluding && isSkipped === 0)
        // A pattern names what it matches, whatever its name is.
        const isGood = content.isGood ?? (named.includes('t/**/*') ? false : undefined)
        if (isConsidered && isGood !== undefined) candidates.set(path, isGood)
      }
      const follows = isRepository || flags.includes('--follow-links')
      for (const [n, each] of links.entries()) {
        const at = join(shell.cwd, 't', `link${n}${each.includes('folder') || each === 'circle' ? '' : '.json'}`)
        const target = {
          'file inside': 'target.json',
          'file outside': '../outside/o.json',
          'folder outside': '../outside',
        }
        if (each === 'file inside') put('t/target.json', JSON.stringify(conversation('strong target')))
        symlinkSync(each === 'circle' ? '.' : each === 'nothing' ? 'gone.json' : target[each], at)
        if (!walks) continue
        if (each === 'file inside') candidates.set('t/target.json', true)
        if (each.includes('outside')) candidates.set(follows ? 'outside/o.json' : `a link ${n}`, follows)
        if (each === 'nothing') candidates.set(`a link ${n}`, false)
      }
      const argv = ['check', ...named, '--annotator', 'structural', '--no-policy', ...flags, '--json']
      const { code, json } = await shell.clock.until(shell.svc(argv))
      const isGood = [...candidates.values()].every(Boolean)
      expect([code === 0, candidates], JSON.stringify({ code })).toEqual([isGood, candidates])
      const { verdict } = json()
      expect(verdict === 'passed').toBe(code === 0)
      if (code === 0) passed++
      rmSync(join(shell.cwd, 't'), { recursive: true })
    }),
    { numRuns: runs(50) },
  )
  expect(passed).toBeGreaterThan(runs(50) / 15)
}, 120_000)

/** As `scriptedShell`, where the annotation of a conversation that says `malformed` has no summary. */
function shellWithMalformedAnswers() {
  const reported = scriptedShell()
  const fetch: typeof reported.fetch = async (request) => {
    const isMalformed = request.url.endsWith('/v1/annotations') && (await request.clone().text()).includes('malformed')
    const answer = await reported.fetch(request)
    if (!isMalformed) return answer
    const { summary: _, ...rest } = (await answer.json()) as Record<string, unknown>
    return Response.json({ ...rest, outcome: 'strong' })
  }
  return createShell({ ...reported, svc: reported.client(), fetch })
}
