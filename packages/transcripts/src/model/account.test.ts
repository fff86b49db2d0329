import { expect, it } from 'vitest'
import { Account } from './account.js'

const said = 'A text that somebody says, which is longer than a fact. '.repeat(3).trim()
const place = { record: 1, pointer: '' }

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
  for (const record of [1, 2, 3]) account.audit({ text: said }, { record, pointer: '' }, false)
  account.note(said)
  expect(account.end().map((unread) => unread.place)).toEqual([2, 3].map((record) => ({ record, pointer: '/text' })))
})
