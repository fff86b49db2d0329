import { expect, it } from 'vitest'
import { createWorld, upload } from '../test/fixtures/world.js'
import { type Item, readLedgers } from './ledger/index.js'
import { changeItems } from './maintenance.js'

/** A world with an upload that was refused, and its item as a command reads it. */
async function worldWithRefusal() {
  const world = createWorld()
  const refusing = world.process(async () => Response.json({ error: { message: 'no', code: 422 } }, { status: 422 }))
  await world.collect(refusing.run([upload('question')]))
  const { environment, run } = world.process()
  const work = {
    ...environment,
    folder: '/ledger',
    target: { baseUrl: world.server.publicBaseUrl, project: world.project },
  }
  const read = async () => (await readLedgers('/ledger', { disk: environment.disk })).flatMap(({ items }) => items)
  const retry = (items: readonly Item[]) => changeItems(work, items, 'retry', ({ ids }) => ids.length === 0)
  return { ...world, read, retry, run: () => world.collect(run([upload('question')])) }
}

it('an item is marked to be sent again, and the next upload stores it', async () => {
  const { read, retry, run, stored } = await worldWithRefusal()
  expect(await retry(await read())).toMatchObject([{ state: 'unsent' }])
  await run()
  expect(stored()).toEqual(['question'])
})

it('an item that another process stored meanwhile is not marked, and the next upload sends nothing', async () => {
  const { read, retry, run, stored } = await worldWithRefusal()
  const items = await read()
  await retry(items)
  await run()
  expect(await retry(items)).toEqual([])
  expect(await read()).toMatchObject([{ state: 'done' }])
  await run()
  expect(stored()).toEqual(['question'])
})

it('an item that another process forgot meanwhile is not marked', async () => {
  const { read, retry } = await worldWithRefusal()
  const [item] = await read()
  expect(await retry([{ ...(item as Item), key: 'f'.repeat(64) }])).toEqual([])
})
