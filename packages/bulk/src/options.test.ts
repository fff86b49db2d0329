import { InputError } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { createWorld } from '../test/fixtures/world.js'
import { createUploader, rebuildLedger, reconcileLedger, type UploadAllOptions, uploadAll } from './index.js'

const works = {
  uploadAll: (options: object) => uploadAll({ transcripts: [], ...options } as unknown as UploadAllOptions),
  createUploader: (options: object) => createUploader(options as never),
  rebuildLedger: (options: object) => rebuildLedger(options as never),
  reconcileLedger: (options: object) => reconcileLedger(options as never),
}

describe.each(Object.entries(works))('%s', (name, work) => {
  const { client, environment } = createWorld().process()
  const options = { client, project: 'hp-1', ledger: '/x', ...environment }
  /** A synchronous error, or that of the promise. */
  const errorOf = async (given: object): Promise<unknown> => {
    try {
      await work(given)
    } catch (error) {
      return error
    }
    return undefined
  }

  it('refuses an unknown option with the nearest name', async () => {
    const error = await errorOf({ ...options, projct: 'hp-1' })
    expect(error).toBeInstanceOf(InputError)
    expect(error).toMatchObject({ message: `${name}: unknown option projct; did you mean project?` })
  })

  it.each([
    ['client', 'a client of createClient'],
    ['project', 'the id of a project'],
    ['ledger', 'the path of a folder'],
  ])('needs the option %s', async (option, expected) => {
    const error = await errorOf(Object.fromEntries(Object.entries(options).filter(([key]) => key !== option)))
    expect(error).toBeInstanceOf(InputError)
    expect(error).toMatchObject({ message: `${name}: expected ${option} to be ${expected}.` })
  })
})

it('rebuildLedger restores a lost ledger for the options of uploadAll, and the next run sends nothing again', async () => {
  const world = createWorld()
  const { run, client, environment } = world.process()
  const upload = { name: 'Call 7', turns: [{ role: 'user' as const, content: 'Hello' }] }
  await world.collect(run([upload]))
  for (const path of environment.disk.list('/ledger')) environment.disk.remove(`/ledger/${path}`)
  const { project } = world
  expect(await rebuildLedger({ client, project, ledger: '/ledger', ...environment })).toMatchObject({ added: 1 })
  expect(await reconcileLedger({ client, project, ledger: '/ledger', ...environment })).toMatchObject({ uploads: [] })
  await world.collect(world.process().run([upload]))
  expect(world.stored()).toEqual(['Call 7'])
})
