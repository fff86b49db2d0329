import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Named, placesIn, publicNamesOf, sections } from './public-names.js'

const source = fileURLToPath(new URL('../packages/reference-server/src/', import.meta.url))
const { publicNames, members, docOf } = publicNamesOf(source, ['core', 'index', 'data'])

/** Their names say all that there is to say. */
const selfEvident = /: (Refusal|StoreError)\.name$/
const bare = (names: Named[]) =>
  names.filter((name) => docOf(name) === '' && !selfEvident.test(name.path)).map(({ path }) => path)

describe('a docstring of the reference server', () => {
  it('stands at every public name', () => {
    expect(publicNames.length).toBeGreaterThan(100)
    expect(bare(publicNames)).toEqual([])
  })

  it('stands at every member of a public name', () => {
    expect(members.length).toBeGreaterThan(300)
    expect(bare(members)).toEqual([])
  })

  it('names a section of the interface where it comes from one', () => {
    const places = [...publicNames, ...members].flatMap((name) => placesIn(docOf(name)))
    expect(places.length).toBeGreaterThan(80)
    expect(places.filter((place) => !sections.test(place))).toEqual([])
  })
})
