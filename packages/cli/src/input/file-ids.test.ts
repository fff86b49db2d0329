import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { fileIds } from './file-ids.js'
import { nodeFiles } from './node-files.js'

const home = mkdtempSync(join(tmpdir(), 'input-'))
afterAll(() => rmSync(home, { recursive: true }))
const io = {
  ...nodeFiles(home, new AbortController().signal, () => process.stdin),
  checkpoint: async () => {},
}

/** The ids of files with these names and contents, by their contents. */
async function idsOf(files: readonly { name: string; content: string }[]): Promise<string[][]> {
  for (const { name, content } of files) writeFileSync(join(home, name), content)
  const candidates = files.map(({ name }) => ({ path: name, root: '.', isFound: true, real: join(home, name) }))
  const ids = await fileIds(io, candidates)
  return files.map(({ name, content }) => [content, ids.get(name) ?? '']).sort()
}

/** Two of the contents differ only far from both ends. */
const content = fc.constantFrom(
  '',
  '[]',
  '[1]',
  ...['yes', 'no!'].map((middle) => `[${' '.repeat(20_000)}"${middle}"${' '.repeat(20_000)}]`),
)

it('ids of files are those of their contents, each once, whatever their names and their order are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 6 }), fc.integer(), async (contents, seed) => {
      const files = contents.map((content, n) => ({ name: `${n}.json`, content }))
      const ids = await idsOf(files)
      expect(new Set(ids.map(([, id]) => id)).size).toBe(files.length)
      const renamed = contents.map((content, n) => ({ name: `${(n * 7 + Math.abs(seed)) % 1_000}-${n}.json`, content }))
      expect(await idsOf(renamed.reverse())).toEqual(ids)
    }),
    { numRuns: 40 },
  )
})
