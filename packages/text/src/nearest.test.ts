import { expect, it } from 'vitest'
import { nearest } from './nearest.js'

it('finds the word that was likely meant, and none where none is near', () => {
  const names = ['baseUrl', 'publicBaseUrl', 'project', 'profile']
  expect(nearest('baseurl', names)).toBe('baseUrl')
  expect(nearest('porject', names)).toBe('project')
  expect(nearest('publicBaseURI', names)).toBe('publicBaseUrl')
  expect(nearest('url', names)).toBe('baseUrl')
  expect(nearest('projectId', names)).toBe('project')
  expect(nearest('pr', names)).toBeUndefined()
  expect(nearest('colour', names)).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})
