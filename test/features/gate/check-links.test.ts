import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { angry } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'

/** A file that fails, and links to it and to its folder, each of which an override lets pass. */
function linked() {
  const shell = createShell()
  const at = (path: string) => join(shell.cwd, path)
  for (const folder of ['t/legacy', '.git']) mkdirSync(at(folder), { recursive: true })
  writeFileSync(at('t/z.json'), angry)
  symlinkSync('../z.json', at('t/legacy/a.json'))
  symlinkSync('t/z.json', at('l.json'))
  symlinkSync('t', at('d'))
  const overrides = [{ files: ['t/legacy/**', 'l.json', 'd/**'], failOn: 'none' }]
  writeFileSync(at('svc.checks.json'), JSON.stringify({ annotator: 'structural', overrides }))
  return async (paths: readonly string[]) => {
    const { code, json } = await shell.svc(['check', ...paths, '--json'])
    const { cases } = json() as { cases: { path: string }[] }
    return { code, paths: cases.map(({ path }) => path) }
  }
}

it('a file is judged by its own path if that was named, whatever links to it were found, in any order of the paths', async () => {
  const check = linked()
  const all = ['t', 't/z.json', 't/legacy', 'l.json', 'd', 'd/z.json', 'l.*', 't/legacy/a.json']
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(all, { minLength: 1, maxLength: 4 }), async (paths) => {
      const { code, paths: judged } = await check(paths)
      const isNamed = paths.includes('t') || paths.includes('t/z.json')
      expect([judged.length, judged[0] === 't/z.json', code]).toEqual([1, isNamed, isNamed ? 100 : 0])
      expect((await check(paths.toReversed())).paths).toEqual(judged)
    }),
    { numRuns: 15 },
  )
})

it('a link out of the folder makes the check fail unless it can hold no transcript', async () => {
  const { svc, cwd } = createShell()
  for (const folder of ['t', 'elsewhere']) mkdirSync(join(cwd, folder))
  for (const name of ['chat.json', 'picture.png', 'named.txt']) writeFileSync(join(cwd, 'elsewhere', name), angry)
  writeFileSync(join(cwd, 't', 'own.json'), angry)
  const check = async (): Promise<{ code: number; gaps: string[] }> => {
    const { code, json } = await svc(['check', 't', '--annotator', 'structural', '--fail-on', 'none', '--json'])
    const { cases } = json() as { cases: { path: string; gap: { why: string } | null }[] }
    return { code, gaps: cases.flatMap(({ path, gap }) => (gap ? `${path}: ${gap.why}` : [])) }
  }
  symlinkSync('../elsewhere/picture.png', join(cwd, 't', 'picture.png'))
  expect(await check()).toEqual({ code: 0, gaps: [] })
  symlinkSync('../elsewhere/chat.json', join(cwd, 't', 'chat'))
  symlinkSync('../elsewhere/named.txt', join(cwd, 't', 'named.json'))
  const gaps = ['t/chat: link not followed', 't/named.json: link not followed']
  expect(await check()).toEqual({ code: 101, gaps: expect.arrayContaining(gaps) })
})
