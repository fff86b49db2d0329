import { describe, expect, it } from 'vitest'
import { formOf, masked } from './keys.js'

describe('a key', () => {
  it('recognizes a key by its prefix', () => {
    expect(formOf('sk-service-api03-abc')).toBe('current')
    expect(formOf('sk-legacy-api03-abc')).toBe('legacy')
    expect(formOf('eyJhbGciOiJIUzI1NiJ9.e30.x')).toBe('jwt')
    expect(formOf('anything-else')).toBe('other')
    for (const key of ['', 'two words', '"quoted"', 'ключ', 'a\u0000b']) expect(formOf(key)).toBe('unusable')
  })

  it('prints the prefix and the last four characters, the latter only if as many stay hidden', () => {
    expect(masked('sk-service-api03-abcdefghijkl')).toBe('sk-service-api03-…ijkl')
    expect(masked('sk-legacy-api03-abcdefgh')).toBe('sk-legacy-api03-…efgh')
    expect(masked('eyJhbGciOiJIUzI1NiJ9.e30.xyzw')).toBe('ey…xyzw')
    expect(masked('sk-service-api03-short')).toBe('sk-service-api03-…')
    expect(masked('secret-without-prefix')).toBe('…efix')
    expect(masked('tiny')).toBe('…')
  })
})
