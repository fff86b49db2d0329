import { expect, test } from 'vitest'
import { seededIds } from './ids.js'
import { fold } from './text.js'
import { World } from './world.js'

const world = new World({ clock: { now: () => 0 }, ids: seededIds(), workspace: 'w' })
const project = world.createProject({ name: 'p' })

/** Asked for the first time, when nothing is folded yet, of a short talk, of a long one, and of one of many turns. */
const held = (content: string, term: string) =>
  [[''], ['so '.repeat(300)], Array(40).fill('so '.repeat(5))].map((before) => {
    const turns = [...before, content, 'well'].map((each) => ({ role: 'user' as const, content: each }))
    return world.createTranscript(project, { name: 't', turns }).holds(fold(term))
  })

test.each([
  ['Straße', 'strasse', true],
  ['STRASSE', 'straße', true],
  ['STRAẞE', 'strasse', true],
  ['iPhone', 'IPHONE', true],
  ['ﬁne', 'fine', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['Ŀa ſo', 'so', true],
  ['a.b', 'a.b', true],
  ['axb', 'a.b', false],
  ['a\\b-c', '\\b-c', true],
  ['(a|b)', '(a|b)', true],
  ['ab', 'a|b', false],
  ['Is the order late?', 'asse', false],
  ['配送中', '配送', true],
  ['配 送', '配送', false],
  ['so we', 'wewell', false],
  ['5 µm', 'ΜM', true],
  ['aÿ', 'Ÿ', true],
])('"%s" holds %s: %s', (content, term, expected) => {
  expect(held(content, term)).toEqual([expected, expected, expected])
})

test('folding neither changes nor makes a letter that has no case', () => {
  const made = new Set<string>()
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const text = String.fromCodePoint(point)
    const folded = fold(text)
    if (folded !== text && /\p{Lo}/u.test(text + folded)) made.add(text)
  }
  expect([...made]).toEqual([])
})
