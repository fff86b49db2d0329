import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Asking, cacheKey } from './cache.js'
import { digestOf } from './values.js'

const asking: Asking = {
  ...{ baseUrl: 'https://svc.test/a', digest: digestOf('{}'), attempt: 1 },
  ...{ annotator_version: '1', taxonomy_version: '2' },
}

describe('the key of an annotation', () => {
  it('the key of an annotation is the same for the same question, in every run and version of svc', () => {
    expect(cacheKey(asking)).toBe('400f37d0ec5d1c4eb966ac05055618eeb8c91ed9ae9128cb24236d858fd61b49')
    expect(cacheKey({ ...asking, baseUrl: 'https://SVC.test:443/a/' })).toBe(cacheKey(asking))
  })

  it('differs for another base URL, body, version or attempt', () => {
    const others: Partial<Asking>[] = [
      { baseUrl: 'https://svc.test/b' },
      { digest: digestOf('{} ') },
      { annotator_version: '2' },
      { taxonomy_version: '1' },
      { annotator_version: '12', taxonomy_version: '' },
      { attempt: 2 },
      { attempt: 3 },
    ]
    const keys = [asking, ...others.map((other) => ({ ...asking, ...other }))].map(cacheKey)
    expect(new Set(keys).size).toBe(others.length + 1)
  })

  it('never joins two texts without a separator', () => {
    const texts = fc.tuple(fc.string(), fc.string())
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const [a, b] = [one, other].map(([annotator_version, taxonomy_version]) =>
          cacheKey({ ...asking, annotator_version, taxonomy_version }),
        )
        expect(a === b).toBe(one[0] === other[0] && one[1] === other[1])
      }),
    )
  })

  it('uses the body as it is sent', () => {
    expect(digestOf({ annotator: 'ü', transcript: [] })).toBe(digestOf('{"annotator":"ü","transcript":[]}'))
    expect(digestOf({ transcript: [], annotator: 'ü' })).not.toBe(digestOf({ annotator: 'ü', transcript: [] }))
  })
})
