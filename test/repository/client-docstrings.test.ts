import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Named, placesIn, publicNamesOf, sections } from './public-names.js'

const source = fileURLToPath(new URL('../../packages/client/src/', import.meta.url))
const { publicNames, members: all, docOf } = publicNamesOf(source, ['index', 'core', 'node', 'zod'])
const members = all.filter(({ path }) => !path.startsWith('zod:'))

type Spec = { paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>> }
const operations = ['annotation', 'workspace'].flatMap((surface) => {
  const text = readFileSync(new URL(`../../spec/${surface}.openapi.yaml`, import.meta.url), 'utf8')
  return Object.entries((parse(text) as Spec).paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId)
      .map(([method, { operationId: id, responses }]) => {
        const refusals = Object.keys(responses).filter((status) => Number(status) >= 300)
        return { id, endpoint: `${method.toUpperCase()} ${path}`, refusals }
      }),
  )
})

/** Their names say all that there is to say. */
const selfEvident = /^index: (\w+Error(Of)?\.name|limits\.\w+\.(min|max|warn|default))$/
const bare = (names: Named[]) =>
  names.filter((name) => docOf(name) === '' && !selfEvident.test(name.path)).map(({ path }) => path)

describe('a docstring', () => {
  it('exists for every public name', () => {
    expect(bare(publicNames)).toEqual([])
  })

  it('exists for every member of a public name', () => {
    expect(bare(members)).toEqual([])
  })

  it.each(operations)('names the endpoint of $id and its declared statuses', ({ id, endpoint, refusals }) => {
    const verb = members.find(({ path }) => path === `index: SvcClient.${id}`)
    const text = verb ? docOf(verb) : ''
    expect(text).toContain(`(interface: Endpoints › ${endpoint})`)
    const declared = /\bDeclares ([^.]*)\./.exec(text)?.[1] ?? ''
    expect(declared.match(/\b\d{3}\b/g) ?? []).toEqual(refusals)
  })

  it('names a section of the interface where it comes from one', () => {
    const places = [...publicNames, ...members].flatMap((name) => placesIn(docOf(name)))
    expect(places.filter((place) => !sections.test(place))).toEqual([])
  })
})
