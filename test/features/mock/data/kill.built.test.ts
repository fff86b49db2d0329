import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/reference-server/data'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { isLong } from '../../../helpers/long.js'
import { killRounds } from './kill-rounds.js'
import { buildServing } from './serving.js'

/** How often the server is killed; oftener in `test:full`. */
const rounds = isLong ? 40 : 5

let program: Awaited<ReturnType<typeof buildServing>>
let folder: string

beforeAll(async () => {
  program = await buildServing()
})
afterAll(() => program.remove())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

it('a server that is killed at any moment loses nothing that it answered 201, and keeps nothing by half', async () => {
  const { answered, ambiguous } = await killRounds(program, folder, rounds)
  expect(answered).toBeGreaterThan(rounds * 4)
  // Stored, and killed before the answer was out: at most one for each caller of a round.
  expect(ambiguous).toBeLessThanOrEqual(rounds * 6)
}, 300_000)

it('the second process on a folder is refused and says so; when the first was killed, the next is not', async () => {
  const first = await program.serve(folder)
  const refused = { reason: 'in_use', message: `Another server is using ${folder}.` }
  expect((await program.serve(folder)).said).toMatchObject({ refused })
  await expect(openStore(folder)).rejects.toMatchObject(refused)
  await first.kill()
  const second = await program.serve(folder)
  expect(second.said).toHaveProperty('publicBaseUrl')
  await second.kill()
  ;(await openStore(folder)).close()
})

it('this process holds a folder against others, too', async () => {
  const store = await openStore(folder)
  expect((await program.serve(folder)).said).toMatchObject({ refused: { reason: 'in_use' } })
  store.close()
  const serving = await program.serve(folder)
  expect(serving.said).toHaveProperty('publicBaseUrl')
  expect(serving.errors()).toBe('')
  await serving.kill()
})
