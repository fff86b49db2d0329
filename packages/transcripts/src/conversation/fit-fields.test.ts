import { expect, it } from 'vitest'
import { Losses } from '../model/losses.js'
import { fitFields } from './fit-fields.js'

const place = { record: 1, offset: 0, pointer: '' }

function fitted(fields: Omit<Parameters<typeof fitFields>[0], 'place'>) {
  const losses = new Losses()
  const { place: _, ...rest } = fitFields({ ...fields, place }, losses)
  return { ...rest, lost: losses.list().map(({ what }) => what) }
}

it('leaves fields that fit, counted in code points', () => {
  const fields = {
    name: '😀'.repeat(500),
    modelName: 'm',
    externalId: '😀'.repeat(500),
    language: 'de',
    process: false,
  }
  expect(fitted(fields)).toEqual({ ...fields, lost: [] })
})

it('cuts long names, and drops blank ones', () => {
  const { name, modelName, sourceSystem, lost } = fitted({
    name: '😀'.repeat(501),
    modelName: 'm'.repeat(101),
    sourceSystem: ' \n',
  })
  expect([[...(name ?? '')].length, modelName?.length, sourceSystem]).toEqual([500, 100, undefined])
  expect(lost).toEqual(['name over 500 characters', 'model name over 100 characters'])
})

it('cuts ids so that different ones stay different', () => {
  const ids = ['a', 'b'].map((end) => fitted({ externalId: 'x'.repeat(600) + end, externalUserId: 'u'.repeat(600) }))
  expect(ids.map(({ externalId }) => externalId?.length)).toEqual([500, 500])
  expect(ids[0]?.externalId).not.toBe(ids[1]?.externalId)
  expect(ids[0]?.externalUserId).toBe(ids[1]?.externalUserId)
})

it('reports a language that is too long for a code', () => {
  expect(fitted({ language: 'German (Germany)' })).toEqual({ lost: ['language over 10 characters'] })
})

it('stores no half of a character', () => {
  expect(fitted({ name: ' a\uD800\u0000 ', externalId: '\uDC00', language: 'd\u0000e' })).toMatchObject({
    name: 'a\uFFFD',
    externalId: '\uFFFD',
    language: 'de',
    lost: ['null character', 'lone surrogate'],
  })
})
