import { expect, it } from 'vitest'
import { Account } from './account.js'

const said = 'A text that somebody says, which is longer than a fact. '.repeat(3).trim()
const place = { record: 1, pointer: '', offset: 0 }

it('a value that was read once accounts for one of two equal texts, also inside texts of JSON', () => {
  const unreadOf = (record: unknown) => {
    const account = new Account()
    account.note({ content: said })
    return account.audit(record, place, true).map(({ field }) => field)
  }
  expect(unreadOf({ text: said, content: said })).toEqual(['content'])
  expect(unreadOf({ text: JSON.stringify([said]), content: JSON.stringify([said]) })).toEqual(['content'])
})

it('equal texts of several records are read one by one, the first one first', () => {
  const account = new Account()
  for (const record of [1, 2, 3]) account.audit({ text: said }, { ...place, record }, false)
  account.note(said)
  expect(account.end().map((unread) => unread.place)).toEqual(
    [2, 3].map((record) => ({ ...place, record, pointer: '/text' })),
  )
})

it('a name of a field that is a text is unread if no text stands in its value', () => {
  const unreadOf = (record: unknown, ...notes: unknown[]) => {
    const account = new Account()
    for (const each of notes) account.note(each)
    return account.audit(record, place, true).map(({ field }) => field)
  }
  const votes = { 'I like the blue one best': 3, first_choice: 2 }
  expect(unreadOf({ votes })).toEqual(['votes'])
  expect(unreadOf({ votes }, votes)).toEqual([])
  expect(unreadOf({ votes }, { copy: { ...votes } })).toEqual([])
  expect(unreadOf({ votes: { 'I like the blue one best': null, short_name: 1, 'two words': 1 } })).toEqual([])
})

it('a number in the place of what somebody says is audited; a score and a count of tokens are not', () => {
  const unreadOf = (record: unknown, ...notes: unknown[]) => {
    const account = new Account()
    for (const each of notes) account.note(each)
    return account.audit(record, place, true).map(({ field }) => field)
  }
  expect(unreadOf({ role: 'user', content: 47 })).toEqual(['content'])
  expect(unreadOf({ role: 'user', content: 47 }, 47)).toEqual([])
  expect(unreadOf({ usage: { input: 5, output: 7 }, score: { value: 1 } })).toEqual([])
})
