import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contentHash, keyOf, openLedger } from '../../../packages/bulk/src/ledger/index.js'
import { createShell } from '../../helpers/run-cli.js'

const conversation = (words: string, more: object = {}) => ({ turns: [{ role: 'user', content: words }], ...more })
const conversations = (...words: string[]) => words.map((each) => `${JSON.stringify(conversation(each))}\n`).join('')

/** A shell whose state is below its working directory. */
function createUploader() {
  const shell = createShell()
  const env = { SVC_STATE_DIR: join(shell.cwd, 'state') }
  const svc: typeof shell.svc = (argv, options) => shell.svc(argv, { ...options, env: { ...env, ...options?.env } })
  const folder = join(env.SVC_STATE_DIR, 'uploads')
  const stored = () => shell.server.world.project(shell.project)?.record.transcript_count
  const target = { baseUrl: shell.server.publicBaseUrl, project: shell.project }
  return { ...shell, svc, folder, stored, target }
}

describe('an upload that is run again', () => {
  it('sends nothing after its ledger was lost and rebuilt', async () => {
    const { svc, folder, stored } = createUploader()
    const first = await svc(['upload', 'conversations.jsonl', '--json'], {
      files: { 'conversations.jsonl': conversations('a', 'b', 'a') },
    })
    expect([first.code, stored()]).toEqual([0, 3])
    rmSync(folder, { recursive: true })
    expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
    const again = await svc(['upload', 'conversations.jsonl', '--json'])
    expect([again.code, stored()]).toEqual([0, 3])
    const ids = (lines: Record<string, unknown>[]) =>
      lines.slice(0, -1).map(({ id, transcript }) => id ?? (transcript as { id: string }).id)
    expect(ids(again.lines()).sort()).toEqual(ids(first.lines()).sort())
    expect((await svc(['uploads', 'list', '--json'])).lines().at(-1)).toMatchObject({ total: 3 })
  })

  it('finds the stored uploads of a killed run by their stamps, and sends the others', async () => {
    const { svc, folder, stored, target, clock, server, project } = createUploader()
    const ledger = await openLedger({ folder, target, clock })
    const world = server.world.project(project) ?? expect.unreachable()
    for (const words of ['a', 'b']) {
      const { turns } = conversation(words)
      const content = contentHash({ turns })
      const key = keyOf(target, content, 1, 1)
      await ledger.intend([
        { key, content, occurrence: 1, part: 1, source: undefined, name: words, turns: 1, path: 'x', record: 1 },
      ])
      const metadata = { svc: { key, occurrence: 1 } }
      if (words === 'a')
        server.world.createTranscript(world, { name: words, turns: [{ role: 'user', content: words }], metadata })
    }
    await ledger.release()
    const { code } = await clock.until(
      svc(['upload', 'conversations.jsonl'], { files: { 'conversations.jsonl': conversations('a', 'b') } }),
    )
    expect([code, stored()]).toEqual([0, 2])
    expect((await svc(['uploads', 'list', '--state', 'open'])).out).toBe('')
  })

  it('sends only forgotten items again', async () => {
    const { svc, stored } = createUploader()
    await svc(['upload', 'conversations.jsonl'], { files: { 'conversations.jsonl': conversations('a', 'b') } })
    const [first] = (await svc(['uploads', 'list', '--json'])).lines()
    await svc(['uploads', 'forget', String(first?.key), '--yes'])
    await svc(['upload', 'conversations.jsonl'])
    expect(stored()).toBe(3)
  })

  it('writes neither the words of a transcript nor a key of the service into the ledger', async () => {
    const { svc, folder } = createUploader()
    const files = { 'a.json': conversation('SECRETWORDS', { metadata: { note: 'SECRETNOTE' } }) }
    expect((await svc(['upload', 'a.json'], { files })).code).toBe(0)
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('')
    expect(text).toContain('"event":"done"')
    expect(text).not.toMatch(/SECRET|sk-service/)
  })
})
