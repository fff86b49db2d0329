import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultReadings, type Readings, readingValues } from '@svc/reference-server/core'
import { expect, it } from 'vitest'
import { markdownTable } from './markdown-table.js'
import { placesIn, publicNamesOf } from './public-names.js'
import { drawnReadings } from './readings/drawn-service.js'

const folder = fileURLToPath(new URL('../packages/reference-server/', import.meta.url))
const readme = `${folder}README.md`

/** The docstring of each reading, on one line. */
function docsOfReadings(): [name: keyof Readings, doc: string][] {
  const { members, docOf } = publicNamesOf(`${folder}src/`, ['core'])
  const start = 'core: Readings.'
  return members
    .filter(({ path }) => path.startsWith(start))
    .map((member) => [member.path.slice(start.length) as keyof Readings, docOf(member).replace(/\s+/g, ' ')])
}

const row = ([name, doc]: [keyof Readings, string]): string[] => [
  `\`${name}\``,
  readingValues[name]?.map((value) => `\`${value}\``).join(', ') ?? `an integer; \`${defaultReadings[name]}\``,
  doc.replace(/ \(interface: .*/, ''),
  placesIn(doc).join('; '),
]

it("the table of readings in the reference server's README is that of their declaration", async () => {
  const docs = docsOfReadings()
  expect(docs.map(([name]) => name)).toEqual(Object.keys(defaultReadings))
  const written = markdownTable([['reading', 'values', 'meaning', 'interface'], ...docs.map(row)])
  const page = readFileSync(readme, 'utf8').replace(/^\| reading +\|.*\n(\|.*\n)*/m, () => written)
  expect(page).toContain(written)
  await expect(page).toMatchFileSnapshot(readme)
})

it('the gaps of the interface name every reading, and which of them are drawn', () => {
  const page = readFileSync(new URL('../spec/README.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### Readings that the product was tried with')
  const rows = section.split('\n').flatMap((line) => {
    const [, , readings, tried] = line.split('|')
    const names = Array.from((readings ?? '').matchAll(/`(\w+)`/g), ([, name]) => name)
    return names.map((name) => ({ name, isDrawn: tried?.includes('drawn') === true }))
  })
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(defaultReadings).sort())
  const drawn = rows.filter(({ isDrawn }) => isDrawn).map(({ name }) => name)
  expect(drawn.sort()).toEqual([...drawnReadings].sort())
})
