import { createClient } from '@svc/client'
import { expect, it } from 'vitest'
import { describe } from './errors.js'

const publicBaseUrl = 'https://svc.test/public/api/v1'
const client = createClient({ apiKey: 'k', baseUrl: 'https://svc.test', publicBaseUrl, environment: {} })
const detailsOf = (upload: object) =>
  client.transcripts.upload('hp-1', upload as never).then(
    () => expect.unreachable('it was sent'),
    (error) => describe(error).details,
  )

it('the details of an invalid input are all of its violations, unless the message has the only one', async () => {
  const turns = [{ role: 'user', content: 'hi' }]
  expect(await detailsOf({ name: 1, turns })).toEqual([])
  expect(await detailsOf({ name: 1, language: 2, turns })).toEqual([
    expect.stringMatching(/^\/name expected /),
    expect.stringMatching(/^\/language expected /),
  ])
})
