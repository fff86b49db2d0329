import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Named, placesIn, publicNamesOf, sections } from './public-names.js'

const folderOf = (name: string) => fileURLToPath(new URL(`../../packages/${name}/src/`, import.meta.url))

const packages = [
  { name: 'reference-server', entries: ['contract', 'core', 'index', 'persistence', 'testing'] },
  { name: 'bulk', entries: ['index', 'parts'] },
  { name: 'transcripts', entries: ['index', 'containers', 'parquet', 'sqlite'] },
  { name: 'checks', entries: ['index', 'vitest'] },
].map((each) => ({ ...each, public: publicNamesOf(folderOf(each.name), each.entries) }))

/** Their names say all that there is to say. */
const selfEvident = /: (Refusal|\w+Error)\.name$/

describe.each(packages)('a docstring of $name', ({ public: { publicNames, members, docOf } }) => {
  const bare = (names: Named[]) =>
    names.filter((name) => docOf(name) === '' && !selfEvident.test(name.path)).map(({ path }) => path)

  it('stands at every public name', () => {
    expect(bare(publicNames)).toEqual([])
  })

  it('stands at every member of a public name', () => {
    expect(bare(members)).toEqual([])
  })

  it('names a section of the interface where it comes from one', () => {
    const places = [...publicNames, ...members].flatMap((name) => placesIn(docOf(name)))
    expect(places.filter((place) => !sections.test(place))).toEqual([])
  })
})
