import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const line = (content: string) => `${JSON.stringify({ name: content, turns: [{ role: 'user', content }] })}\n`

/** Twelve files of three transcripts each, of which the last is the same in all of them. */
function manyFiles() {
  const shell = createShell()
  const { cwd } = shell
  mkdirSync(join(cwd, 'logs'))
  const names = Array.from({ length: 12 }, (_, n) => `${n}.jsonl`)
  for (const name of names) writeFileSync(join(cwd, 'logs', name), [`a${name}`, `b${name}`, 'same'].map(line).join(''))
  const upload = (shard: string, ...argv: string[]) =>
    shell.svc(['upload', 'logs', '--shard', shard, '--shard-by', 'file', '--json', ...argv])
  async function uploadAll(...argv: string[]): Promise<number> {
    let uploaded = 0
    for (const shard of ['1/3', '2/3', '3/3']) {
      const { code, lines } = await upload(shard, ...argv)
      expect(code).toBe(0)
      uploaded += (lines().at(-1) as { uploaded: number }).uploaded
    }
    return uploaded
  }
  return { ...shell, names, upload, uploadAll }
}

describe('--shard-by file', () => {
  it('--shard-by file reads and sends whole files, and all shards together send everything once', async () => {
    const { upload, uploadAll, server, project } = manyFiles()
    const { err, lines } = await upload('1/3', '--dry-run')
    expect(err).toMatch(/^[1-9] files? of 12 for shard 1\/3$/m)
    expect(lines().at(-1)).toMatchObject({ other_shards: 0 })
    expect(await uploadAll()).toBe(36)
    expect(server.world.transcripts(project)).toHaveLength(36)
  })

  it('--shard-by file sends nothing after files are renamed, and of a changed file only what is new', async () => {
    const { uploadAll, cwd, names } = manyFiles()
    await uploadAll()
    for (const name of names) renameSync(join(cwd, 'logs', name), join(cwd, 'logs', `renamed-${name}`))
    expect(await uploadAll()).toBe(0)
    for (const name of readdirSync(join(cwd, 'logs')).slice(0, 4))
      writeFileSync(join(cwd, 'logs', name), line(`new ${name}`), { flag: 'a' })
    expect(await uploadAll()).toBe(4)
  })

  it('--shard-by file skips a file without transcripts, also if the shard reads nothing else in its folder', async () => {
    const { upload, cwd } = manyFiles()
    writeFileSync(join(cwd, 'logs', 'package.json'), '{"name":"x","version":"1.0.0"}')
    for (const shard of Array.from({ length: 40 }, (_, n) => `${n + 1}/40`))
      expect([shard, (await upload(shard, '--dry-run')).code]).toEqual([shard, 0])
  })

  it('--shard-by file refuses the ledger of a run without it, and the other way round', async () => {
    for (const isFirst of [true, false]) {
      const { upload, svc } = manyFiles()
      const runs = [() => upload('1/1'), () => svc(['upload', 'logs', '--json'])]
      const [first, second] = isFirst ? runs : runs.reverse()
      expect((await first?.())?.code).toBe(0)
      const { code, err } = (await second?.()) ?? {}
      expect([code, err]).toEqual([3, expect.stringContaining('--shard-by file')])
      const dryRun = isFirst ? svc(['upload', 'logs', '-n']) : upload('1/1', '-n')
      expect((await dryRun).code).toBe(3)
    }
  })

  it.each([
    [['upload', 'logs', '--shard-by', 'file'], 2, '--shard-by file requires --shard.'],
    [['upload', 'logs', '--shard', '1/2', '--shard-by', 'file', '--skip', 'repeated'], 2, 'cannot be used together'],
    [['upload', '-', '--shard', '1/2', '--shard-by', 'file'], 3, 'Standard input cannot be split by file'],
    [['upload', 'logs', '--shard', '1/2', '--shard-by', 'name'], 2, 'content, file'],
  ])('--shard-by file refuses %j', async (argv, exitCode, message) => {
    const { svc } = manyFiles()
    const { code, err } = await svc(argv, { stdin: line('a') })
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)])
  })
})
