import { join } from 'node:path'
import { expect } from 'vitest'
import { contentHash, hashTurns, keyOf, openLedger } from '../../../packages/bulk/src/ledger/index.js'
import { createShell } from '../../helpers/run-cli.js'

/** A shell with a ledger that holds an item of each state, the oldest first. */
export async function createLedger() {
  const shell = createShell()
  const { cwd, clock, server, project, svc: run, svc: _ } = shell
  const target = { baseUrl: server.publicBaseUrl, project }
  const folder = join(cwd, 'state', 'uploads')
  const env = { SVC_STATE_DIR: join(cwd, 'state') }
  const svc: typeof run = (argv, options) => run(argv, { ...options, env: { ...env, ...options?.env } })
  const ledger = await openLedger({ folder, target, clock })
  const names = ['done', 'refused', 'unsent', 'unknown', 'open'] as const
  const keys = {} as Record<(typeof names)[number], string>
  for (const name of names) {
    const turns = [{ role: 'user' as const, content: name }]
    const content = contentHash({ turns })
    const key = keyOf(target, content, 1, 1)
    const identity = { key, content, occurrence: 1, part: 1, source: undefined }
    await ledger.intend([
      {
        ...identity,
        name: `the ${name} \u001b[31mone`,
        turns: 1,
        path: 'conversations.jsonl',
        record: 2,
        turnsHash: hashTurns(turns),
      },
    ])
    keys[name] = key
    await clock.advance(1_000)
  }
  const world = server.world.project(project) ?? expect.unreachable()
  const store = (name: (typeof names)[number]) =>
    server.world.createTranscript(world, {
      name: `the ${name} \u001b[31mone`,
      turns: [{ role: 'user', content: name }],
      metadata: { svc: { key: keys[name], occurrence: 1 } },
    }).record.id
  const id = store('done')
  ledger.close(keys.done, { event: 'done', id, status: 'queued' })
  ledger.close(keys.refused, { event: 'refused', status: 413 })
  ledger.close(keys.unsent, { event: 'unsent' })
  ledger.close(keys.unknown, { event: 'unknown', candidates: ['tr_8', 'tr_9'] })
  await ledger.release()
  return { ...shell, svc, run, folder, target, keys, id, store }
}
