import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LightHeaders, NoFormData } from './light-headers.js'

const key = fc.oneof(fc.constantFrom('a', 'A', 'x-b', 'X-B', 'authorization'), fc.string({ maxLength: 3 }))
const value = fc.oneof(fc.constantFrom('', ' v\t', 'a\nb', '\n a', 'ü', '€', '\0'), fc.string({ maxLength: 5 }))
const step = fc.tuple(fc.constantFrom('get', 'has', 'set', 'append', 'delete'), key, value)

/** What a step gives, or that it throws. */
const done = (headers: Headers | LightHeaders, [verb, name, text]: [string, string, string]) => {
  try {
    return (headers as unknown as Record<string, (...args: string[]) => unknown>)[verb]?.(name, text)
  } catch (error) {
    return (error as Error).name
  }
}

describe('light headers', () => {
  it('do what Node’s own do', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const [light, real] = [new LightHeaders(), new Headers()]
        for (const each of steps) expect(done(light, each)).toEqual(done(real, each))
        expect([...light]).toEqual([...real])
        expect([...new LightHeaders(light)]).toEqual([...new Headers([...light])])
      }),
    )
  })

  it('are made of a record, too, and know Node’s own as headers', () => {
    expect([...new LightHeaders({ B: '2', a: '1' })]).toEqual([...new Headers({ B: '2', a: '1' })])
    expect(new Headers() instanceof LightHeaders).toBe(true)
    expect({ authorization: 'x' } instanceof LightHeaders).toBe(false)
  })
})

it('no body of ours is a form', () => {
  for (const body of ['{}', new Uint8Array(), undefined, new FormData()]) expect(body instanceof NoFormData).toBe(false)
})
