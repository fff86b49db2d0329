import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { type Disk, nodeDisk, pullTranscripts } from '@svc/checks'
import type { TranscriptDetail, TranscriptUpload } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** A shell whose project has stored transcripts, some of which the service does not show whole. */
function shell() {
  const scripted = scriptedShell()
  const { clock, project, svc, server, cwd } = scripted
  const client = scripted.client()
  const reads: string[] = []
  const fetch = async (request: Request) => {
    const [, id] = /\/transcripts\/(tr_[^/]+)$/.exec(request.url) ?? []
    if (id !== undefined) reads.push(id)
    return scripted.fetch(request)
  }
  const upload = async (words: string, more: Partial<TranscriptUpload> = {}) => {
    const turns = conversation(words) as TranscriptUpload['turns']
    return (await client.transcripts.upload(project, { name: words, turns, process: false, ...more })).id
  }
  const uploadAll = async (words: readonly string[]) => {
    const ids: string[] = []
    for (const each of words) ids.push(await upload(each))
    return ids.sort()
  }
  const run = (argv: string[], options: CliOptions = {}) =>
    clock.until(svc(argv, { ...options, io: { fetch, ...options.io } }))
  const pull = (flags: readonly string[] = [], options?: CliOptions) =>
    run(['transcripts', 'pull', '--to', 'stored', ...flags], options)
  const check = (what: string) => run(['check', what, '--annotator', 'structural', '--no-cache', '--json'])
  /** The service shows fewer turns of a transcript than it counts. */
  const hideTurns = (id: string, count = 9) =>
    Object.assign(server.world.transcript(id)?.record ?? {}, { turn_count: count })
  const files = () => readdirSync(join(cwd, 'stored')).sort()
  const textOf = (name: string) => readFileSync(join(cwd, 'stored', name), 'utf8')
  return {
    ...scripted,
    client: () => scripted.client({ fetch }),
    reads,
    upload,
    uploadAll,
    run,
    pull,
    check,
    hideTurns,
    files,
    textOf,
  }
}

describe('svc transcripts pull', () => {
  it('writes a file for each transcript, as it is shown, without the stamp of its upload', async () => {
    const { upload, pull, files, textOf, server, project } = shell()
    const id = await upload('strong', { metadata: { team: 'a' }, sourceTimestamp: '2025-12-31T00:00:00.000Z' })
    expect(server.world.transcript(id)?.record.metadata).toHaveProperty('svc')
    const { code, err } = await pull()
    expect([code, err, files()]).toEqual([0, '1 transcript written to stored\n', ['.gitignore', `${id}.json`]])
    expect(JSON.parse(textOf(`${id}.json`))).toMatchObject({
      ...{ id, name: 'strong', metadata: { team: 'a' }, annotations: {}, created_at: expect.any(String) },
      ...{ source_timestamp: '2025-12-31T00:00:00.000Z', turns: conversation('strong') },
    })
    expect(textOf(`${id}.json`)).not.toContain('"svc"')
    expect(textOf('.gitignore')).toContain('\n*\n')
    expect(project).toMatch(/^hp-/)
  })

  it.skipIf(platform() === 'win32')('keeps the folder and the files for the user alone', async () => {
    const { upload, pull, files, cwd } = shell()
    await upload('strong')
    await pull()
    const modeOf = (path: string) => statSync(join(cwd, path)).mode & 0o777
    expect([modeOf('stored'), ...files().map((name) => modeOf(`stored/${name}`))]).toEqual([0o700, 0o600, 0o600])
  })

  it('reads again only what it does not have', async () => {
    const { uploadAll, upload, pull, reads } = shell()
    await uploadAll(['strong 1', 'strong 2'])
    await pull()
    const id = await upload('strong 3')
    reads.length = 0
    const { code, err, json } = await pull(['--json'])
    expect([code, err, reads]).toEqual([0, '1 transcript written to stored; 2 were there\n', [id]])
    expect(json()).toMatchObject({ written: 1, kept: 2, unread: 0, complete: true, filters: {} })
  })

  it('gives files that check as the stored transcripts do', async () => {
    const { uploadAll, upload, pull, run, check } = shell()
    await uploadAll(['strong 1', 'poor loop', 'mixed'])
    await upload('mixed 2', {
      turns: [
        { role: 'user', content: 'mixed 2' },
        { role: 'assistant', content: '', toolCalls: [{ name: 'get', args: { id: 7 } }] },
        { role: 'tool', content: ' ', toolResults: [{ name: 'get', result: null }] },
      ],
    })
    expect((await pull()).code).toBe(0)
    const stored = await run(['check', '--stored', '--annotator', 'structural', '--no-cache', '--json'])
    const folder = await check('stored')
    const facts = ({ json, code }: typeof folder) => {
      const { verdict, line, results, outcomes, losses, cases } = json() as Record<string, unknown>
      const shown = (cases as { sha256: string; result: string; source_hash: string }[]).map(
        ({ sha256, result, source_hash }) => [sha256, result, source_hash],
      )
      return { code, verdict, line, results, outcomes, losses, shown }
    }
    expect(facts(folder)).toEqual(facts(stored))
    expect(folder.code).toBe(100)
  })

  it('gives files that upload as equal turns', async () => {
    const { upload, pull, run, server } = shell()
    const turns: TranscriptUpload['turns'] = [
      { role: 'user', content: 'a', createdAt: '2025-12-31T00:00:00.000Z', metadata: { mood: 'good' } },
      { role: 'assistant', content: '', toolCalls: [{ name: 'get', args: { id: 7 } }] },
      { role: 'tool', content: '', toolResults: [{ name: 'get', result: { sent: true } }] },
      { role: 'assistant', content: ' ' },
    ]
    const id = await upload('n', { turns, modelName: 'm', externalId: 'e', metadata: { team: 'a' } })
    await pull()
    const other = server.world.createProject({ name: 'Other' }).record.id
    const { code } = await run(['upload', 'stored', '--project', other, '--no-process'])
    expect(code).toBe(0)
    const [copy] = server.world.transcripts(other)
    expect(copy?.turns).toEqual(server.world.transcript(id)?.turns)
    expect(copy?.record).toMatchObject({ name: 'n', model_name: 'm', external_id: 'e', metadata: { team: 'a' } })
  })

  it('says why a transcript is missing, and its folder does not pass until it is there', async () => {
    const { uploadAll, pull, check, hideTurns, project, files } = shell()
    const [id = '', other = ''] = await uploadAll(['strong 1', 'strong 2'])
    hideTurns(id)
    const { code, err } = await pull()
    expect([code, err]).toEqual([
      8,
      `svc: ${project}/${id}: /turns expected all 9 turns; found 2\n1 transcript written to stored; 1 not read\n`,
    ])
    expect(files()).toEqual(['.gitignore', `${id}.unread.json`, `${other}.json`].sort())
    expect((await check('stored')).code).toBe(101)
    hideTurns(id, 2)
    expect((await pull()).code).toBe(0)
    expect(files()).toEqual(['.gitignore', `${id}.json`, `${other}.json`].sort())
    expect((await check('stored')).code).toBe(0)
  })

  it('does not end with 0 if the list may lack transcripts, and its folder does not pass', async () => {
    const { uploadAll, pull, check, server, clock } = shell()
    await uploadAll(['strong 1'])
    await clock.advance(60_000)
    server.ambiguities.set({ listLagMs: 60_000, totalLags: false } as object)
    await uploadAll(['strong 2'])
    const { code, err } = await pull()
    expect([code, err]).toEqual([6, expect.stringContaining('the service counts 2 transcripts and lists 1.')])
    expect((await check('stored')).code).toBe(101)
    await clock.advance(60_000)
    expect((await pull()).code).toBe(0)
    expect((await check('stored')).json()).toMatchObject({ verdict: 'passed', total: 2 })
  })

  it('forgets a missing transcript that the list no longer has', async () => {
    const { uploadAll, pull, hideTurns, files } = shell()
    const [id = ''] = await uploadAll(['strong 1', 'strong 2'])
    hideTurns(id)
    await pull()
    expect((await pull(['--q', '2'])).code).toBe(0)
    expect(files().filter((name) => name.endsWith('.unread.json'))).toEqual([])
  })

  it('refuses a folder that holds other files, and keeps them', async () => {
    const { upload, pull, cwd } = shell()
    await upload('strong')
    mkdirSync(join(cwd, 'stored'))
    writeFileSync(join(cwd, 'stored', 'notes.txt'), 'mine')
    const { code, err } = await pull()
    expect([code, err]).toEqual([3, 'svc: stored: the folder holds other files.\nhint: name a new folder\n'])
    expect(readdirSync(join(cwd, 'stored'))).toEqual(['notes.txt'])
  })

  it.skipIf(platform() === 'win32' || process.getuid?.() === 0)('names a folder that cannot be written', async () => {
    const { upload, pull, cwd } = shell()
    await upload('strong')
    chmodSync(cwd, 0o500)
    const { code, err } = await pull()
    chmodSync(cwd, 0o700)
    expect([code, err]).toEqual([3, expect.stringContaining('stored: the folder cannot be written (EACCES).')])
  })

  it('names a project that does not exist', async () => {
    const { pull, cwd } = shell()
    const { code } = await pull(['--project', 'hp-00000000-0000-4000-8000-000000000000'])
    expect([code, existsSync(join(cwd, 'stored', 'pull.unread.json'))]).toEqual([5, false])
  })

  it('names the filters that match nothing', async () => {
    const { upload, pull, project } = shell()
    await upload('strong')
    const { code, err } = await pull(['--q', 'refund'])
    expect([code, err]).toEqual([2, expect.stringContaining(`No transcript of ${project} matches q=refund.`)])
  })

  it('names a file by a hash if the id is no plain name', async () => {
    const { upload, client, cwd, clock, project } = shell()
    const id = await upload('strong')
    const evil = '../../Evil'
    const real = client()
    const transcripts = {
      ...real.transcripts,
      list: (...given: Parameters<typeof real.transcripts.list>) =>
        real.transcripts
          .list(...given)
          .then((page) => ({ ...page, data: page.data.map((row) => ({ ...row, id: evil })) })),
      get: (_: string, ...given: never[]) =>
        real.transcripts.get(id, ...given).then((record: TranscriptDetail) => ({ ...record, id: evil })),
    } as never
    const folder = join(cwd, 'stored')
    await clock.until(pullTranscripts({ client: { transcripts }, project, folder, clock }))
    expect(readdirSync(folder).filter((name) => name !== '.gitignore')).toEqual([
      expect.stringMatching(/^tr-[0-9a-f]{64}\.json$/),
    ])
    expect(existsSync(join(cwd, 'Evil.json'))).toBe(false)
  })
})

/** A disk that fails at its nth change, as a process that is killed there. */
function diskThatEnds(at: number): Disk {
  let changes = 0
  const ending =
    <Given extends unknown[]>(work: (...given: Given) => void) =>
    (...given: Given) => {
      if (++changes > at) throw Object.assign(new Error('killed'), { code: 'KILLED' })
      work(...given)
    }
  return {
    ...nodeDisk,
    makeFolder: ending(nodeDisk.makeFolder),
    create: ending(nodeDisk.create),
    rename: ending(nodeDisk.rename),
    remove: ending(nodeDisk.remove),
  }
}

describe('a pull that is killed', () => {
  it('leaves whole files and a folder that does not pass, and the next one has all', async () => {
    const words = ['strong 1', 'strong 2', 'strong 3']
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 16 }), async (at) => {
        const { uploadAll, client, clock, cwd, project, check, pull } = shell()
        const ids = await uploadAll(words)
        const folder = join(cwd, 'stored')
        const killed = pullTranscripts({ client: client(), project, folder, clock, disk: diskThatEnds(at) })
        const hasEnded = await clock.until(killed).then(
          () => true,
          () => false,
        )
        const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
        for (const name of names) expect(() => JSON.parse(readFileSync(join(folder, name), 'utf8'))).not.toThrow()
        const read = names.filter((name) => !name.endsWith('.unread.json'))
        const isPassing = names.length > 0 && (await check('stored')).code === 0
        expect(isPassing).toBe(read.length === ids.length && !names.includes('pull.unread.json'))
        if (hasEnded) expect(isPassing).toBe(true)
        expect((await pull()).code).toBe(0)
        expect((await check('stored')).json()).toMatchObject({ verdict: 'passed', total: 3 })
      }),
      { numRuns: 17, examples: Array.from({ length: 17 }, (_, at): [number] => [at]) },
    )
  })
})
