import { expect, test } from 'vitest'
import { remembered } from './remembered.js'

test('a result is made once for the same argument in a row, and anew for another', () => {
  const made: string[] = []
  const upper = remembered((text: string) => {
    made.push(text)
    return text.toUpperCase()
  })
  expect(['a', 'a', 'b', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'A'])
  expect(made).toEqual(['a', 'b', 'a'])
})
