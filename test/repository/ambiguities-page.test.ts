import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Ambiguities, ambiguityValues, defaultAmbiguities } from '@svc/reference-server/core'
import { testAmbiguityNames } from '@svc/reference-server/testing'
import { expect, it } from 'vitest'
import { drawnAmbiguities } from '../features/lists/drawn-service.js'
import { markdownTable } from '../helpers/markdown-table.js'
import { publicNamesOf } from './public-names.js'

const folder = fileURLToPath(new URL('../../packages/reference-server/', import.meta.url))
const readme = `${folder}README.md`

/** The docstring of each ambiguity, on one line. */
function docsOfAmbiguities(): [name: keyof Ambiguities, doc: string][] {
  const { members, docOf } = publicNamesOf(`${folder}src/`, ['core'])
  const start = 'core: Ambiguities.'
  return members
    .filter(({ path }) => path.startsWith(start))
    .map((member) => [member.path.slice(start.length) as keyof Ambiguities, docOf(member).replace(/\s+/g, ' ')])
}

const row = ([name, doc]: [keyof Ambiguities, string]): string[] => [
  `\`${name}\``,
  ambiguityValues[name]?.map((value) => `\`${value}\``).join(', ') ?? `an integer; \`${defaultAmbiguities[name]}\``,
  doc.replace(/ \(interface: .*/, ''),
]

it("the table of ambiguities in the reference server's README is that of their declaration", async () => {
  const docs = docsOfAmbiguities()
  const onlyForTests: readonly string[] = testAmbiguityNames
  expect(docs.map(([name]) => name)).toEqual(
    Object.keys(defaultAmbiguities).filter((name) => !onlyForTests.includes(name)),
  )
  const written = markdownTable([['ambiguity', 'readings', 'meaning'], ...docs.map(row)])
  const page = readFileSync(readme, 'utf8').replace(/^\| ambiguity +\|.*\n(\|.*\n)*/m, () => written)
  expect(page).toContain(written)
  await expect(page).toMatchFileSnapshot(readme)
})

it('the gaps of the interface name every ambiguity, and which of them are drawn', () => {
  const page = readFileSync(new URL('../../spec/README.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### Ambiguities that the product was tried with')
  const rows = section.split('\n').flatMap((line) => {
    const [, , ambiguities, tried] = line.split('|')
    const names = Array.from((ambiguities ?? '').matchAll(/`(\w+)`/g), ([, name]) => name)
    return names.map((name) => ({ name, isDrawn: tried?.includes('drawn') === true }))
  })
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(defaultAmbiguities).sort())
  const drawn = rows.filter(({ isDrawn }) => isDrawn).map(({ name }) => name)
  expect(drawn.sort()).toEqual([...drawnAmbiguities].sort())
})
