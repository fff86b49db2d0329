import { afterAll, describe, expect, it } from 'vitest'
import { type Compiler, createApp, nameOf, type Setting } from '../consumer/app.js'

const app = createApp()
afterAll(() => app.remove())

const compilers: Compiler[] = ['ts54', 'typescript', 'ts60', 'ts7']
const settings = compilers.flatMap((compiler) =>
  (['node16', 'nodenext', 'esnext'] as const).flatMap((module) =>
    [false, true].map((dom): Setting => ({ compiler, module, dom })),
  ),
)

describe('the packed client in an application', () => {
  for (const setting of settings) {
    it.concurrent(`type-checks under ${nameOf(setting)}`, async () => {
      expect(await app.compile(setting)).toBe('')
    })
  }
})
