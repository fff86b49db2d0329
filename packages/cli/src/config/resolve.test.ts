import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Values } from '../settings.js'
import { fromEnvironment, layers, resolveSettings, type Source, strayKey } from './resolve.js'

const source = (layer: Source['layer'], values: Values): Source => ({ layer, from: () => layer, values })

describe('the settings in force', () => {
  it('takes each setting from the source with the highest precedence, in any order of the sources', () => {
    const values = fc.record(
      { baseUrl: fc.option(fc.webUrl(), { nil: undefined }), project: fc.string() },
      { requiredKeys: [] },
    )
    const sources = fc
      .shuffledSubarray([...layers])
      .chain((some) => fc.tuple(...some.map((layer) => values.map((each) => source(layer, each)))))
    fc.assert(
      fc.property(sources, (given: Source[]) => {
        const strongest = layers.flatMap((layer) =>
          given.filter((each) => each.layer === layer && each.values.baseUrl),
        )[0]
        const { baseUrl } = resolveSettings(given)
        expect(baseUrl?.value).toBe(strongest?.values.baseUrl)
        expect(baseUrl?.origin.layer).toBe(strongest?.layer)
      }),
    )
  })

  it('prefers the key of a surface within one source, and a source with higher precedence over either', () => {
    const stored = source('profile', { apiKey: 'both', annotationApiKey: 'own' })
    const { annotationApiKey, workspaceApiKey } = resolveSettings([stored])
    expect([annotationApiKey?.value, workspaceApiKey?.value]).toEqual(['own', 'both'])
    const over = resolveSettings([stored, fromEnvironment({ SVC_API_KEY: 'env' })])
    expect(over.annotationApiKey).toEqual({ value: 'env', origin: { layer: 'environment', from: 'SVC_API_KEY' } })
  })

  it('treats an empty variable as unset', () => {
    expect(resolveSettings([fromEnvironment({ SVC_BASE_URL: '' })]).baseUrl).toBeUndefined()
  })
})

describe('a key', () => {
  const settings = (key: Source['layer'], address: Source['layer']) =>
    resolveSettings([source(key, { apiKey: 'k' }), source(address, { baseUrl: 'https://a.test' })])

  it('warns about a key only if its source has higher precedence than that of the base URL', () => {
    for (const [i, key] of layers.entries()) {
      for (const [j, address] of layers.entries()) {
        expect(strayKey(settings(key, address), 'annotation') !== undefined).toBe(i < j)
      }
    }
    expect(strayKey(settings('flag', 'profile'), 'workspace')).toBeUndefined()
  })
})
