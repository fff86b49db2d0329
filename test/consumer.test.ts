import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp, entries, nameOf, programOf, type Setting } from './consumer/app.js'

const app = createApp()
afterAll(() => app.remove())

// The oldest and the newest compiler, each module setting, with and without the DOM; `test:full` adds 5.9, 6.0 and the rest.
const settings: Setting[] = [
  { compiler: 'ts54', module: 'node16', dom: false, zod: false },
  { compiler: 'ts7', module: 'nodenext', dom: false },
  { compiler: 'ts7', module: 'esnext', dom: true },
]

describe('the packed client in an application', () => {
  for (const setting of settings) {
    it.concurrent(`type-checks under ${nameOf(setting)}`, async () => {
      expect(await app.compile(setting)).toBe('')
    }, 120_000)
  }

  it('the packed client in an application has a program for each entry', () => {
    expect(readdirSync(app.folder)).toEqual(expect.arrayContaining(entries().map(programOf)))
  })
})
