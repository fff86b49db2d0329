import { describe, expect, it } from 'vitest'
import { actionOf, type Focus, keyHelp } from './keys.js'

const press = (key: string, focus: Focus, more = {}, letters = true) =>
  actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...more }, focus, letters)

describe('a key', () => {
  it.each<[string, Focus, string | undefined]>([
    ['j', 'elsewhere', 'next'],
    ['j', 'control', 'next'],
    ['j', 'text', undefined],
    ['j', 'field', undefined],
    ['Escape', 'field', undefined],
    ['g', 'elsewhere', 'good'],
    ['j', 'choice', undefined],
    ['ArrowDown', 'list', 'next'],
    ['ArrowDown', 'elsewhere', undefined],
    ['ArrowDown', 'text', 'next'],
    ['Enter', 'list', 'open'],
    ['Enter', 'control', undefined],
    [' ', 'list', 'open'],
    [' ', 'elsewhere', undefined],
    ['Escape', 'text', 'close'],
    ['Escape', 'choice', 'close'],
    ['/', 'text', undefined],
    ['constructor', 'list', undefined],
  ])('%j in %s is %s', (key, focus, action) => {
    expect(press(key, focus)).toBe(action)
  })

  it.each(['ctrlKey', 'metaKey', 'altKey'])('a key with %s is the browser’s', (modifier) => {
    expect(press('j', 'list', { [modifier]: true })).toBeUndefined()
  })

  it('a key that is a letter does nothing where letters are turned off', () => {
    expect(press('j', 'list', {}, false)).toBeUndefined()
    expect(press('ArrowDown', 'list', {}, false)).toBe('next')
  })

  it('a key that the help shows does something', () => {
    const named = keyHelp
      .flatMap(([keys]) => keys)
      .map((key) => (/^[↓↑]$/.test(key) ? `Arrow${key === '↓' ? 'Down' : 'Up'}` : key))
    expect(named.length).toBeGreaterThan(8)
    for (const key of named) expect(press(key, 'list'), key).toBeDefined()
  })
})
