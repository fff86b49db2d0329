import { createClient } from '@svc/client'
import { createServer, referenceKey } from '@svc/reference-server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryDisk } from '../../test/fixtures/memory-disk.js'
import {
  type BulkUpload,
  rebuildLedger,
  type Shard,
  type UploadAllOptions,
  type UploadSummary,
  uploadAll,
} from '../index.js'

/** A file: the contents of its transcripts. Its name is nowhere. */
type File = readonly string[]

/** Equal files have different ids, and which of them has which has no meaning. */
function idsOf(files: readonly File[]): string[] {
  const copies: Record<string, number> = {}
  return files.map(String).map((content) => {
    copies[content] = (copies[content] ?? 0) + 1
    return `${content} ${copies[content]}`
  })
}

/** A server, a ledger folder that all shards share, and the shards. */
function createWorld() {
  const server = createServer({ baseUrl: 'https://svc.test' })
  const { baseUrl, publicBaseUrl } = server
  const project = server.world.createProject({ name: 'Test' }).record.id
  const { disk } = memoryDisk()
  const client = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, fetch: server.fetch, environment: {} })
  const environment = { disk, host: { self: () => ({ pid: 1, host: 'here' }), process: () => ({ isDead: false }) } }

  async function run(transcripts: Iterable<BulkUpload>, options: Partial<UploadAllOptions>): Promise<UploadSummary> {
    const upload = uploadAll({ client, project, transcripts, ledger: '/ledger', ...environment, ...options })
    for await (const { result } of upload) expect(result).not.toBe('failed')
    return upload.summary()
  }

  const shard = (files: readonly File[], index: number, of: number): Shard => ({
    ...{ index, of },
    files: new Set(idsOf(files)),
  })

  return {
    run,
    shard,
    rebuild: () =>
      rebuildLedger({ client, folder: '/ledger', target: { baseUrl: publicBaseUrl, project }, ...environment }),
    /** Run all shards, one after the other or at once. */
    async runAll(files: readonly File[], of: number, order: 'in turn' | 'at once' = 'in turn'): Promise<number> {
      const all = Array.from(
        { length: of },
        (_, index) => () => run(uploadsOf(files), { shard: shard(files, index, of) }),
      )
      const sums: UploadSummary[] = order === 'at once' ? await Promise.all(all.map((each) => each())) : []
      if (order === 'in turn') for (const each of all) sums.push(await each())
      return sums.reduce((sum, { uploaded }) => sum + uploaded, 0)
    },
    stored: () => server.world.transcripts(project).map(({ record }) => record.name),
    loseLedger: () => {
      for (const name of disk.list('/ledger')) disk.remove(`/ledger/${name}`)
    },
  }
}

const uploadsOf = (files: readonly File[], folder = 'here'): BulkUpload[] =>
  files.flatMap((file, at) =>
    file.map((content) => ({
      path: `${folder}/${at}`,
      upload: { name: content, turns: [{ role: 'user', content }] },
      source: `record of ${content}`,
      file: idsOf(files)[at],
    })),
  )

const counts = (names: Iterable<string>): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const name of names) sums[name] = (sums[name] ?? 0) + 1
  return sums
}

/** Few contents, so that files share them. */
const file = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 4 })
const folder = fc.array(file, { minLength: 1, maxLength: 6 })

describe('shards by file', () => {
  it('shards by file store each transcript as often as the files hold it, and nothing more when they run again', async () => {
    await fc.assert(
      fc.asyncProperty(
        folder,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('in turn', 'at once'),
        async (files, of, order) => {
          const { runAll, stored } = createWorld()
          await runAll(files, of, order)
          expect(counts(stored())).toEqual(counts(files.flat()))
          // Their names have no part in it, nor has their order.
          expect(await runAll([...files].reverse(), of, order)).toBe(0)
          // The ledger of one folder knows all of them, whatever the number of shards.
          expect(await runAll(files, of + 1)).toBe(0)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('shards by file send of an edited file only the transcripts that are new', async () => {
    await fc.assert(
      fc.asyncProperty(folder, file, fc.nat(5), fc.integer({ min: 1, max: 4 }), async (files, edited, at, of) => {
        const { runAll, stored } = createWorld()
        await runAll(files, of)
        const before = counts(stored())
        const wanted = files.toSpliced(at % files.length, 1, edited)
        await runAll(wanted, of)
        const after = counts(wanted.flat())
        for (const content of 'abcde') {
          const [had = 0, wants = 0] = [before[content], after[content]]
          expect([content, counts(stored())[content] ?? 0]).toEqual([content, Math.max(had, wants)])
        }
      }),
      { numRuns: 20 },
    )
  })

  it('uploads of an edited file that has another path now are counted as of a file that is gone', async () => {
    const { run, shard } = createWorld()
    const edited = [['a', 'y']]
    const continued = async (folder: string) =>
      (await run(uploadsOf(edited, folder), { shard: shard(edited, 0, 1) })).from_removed_file
    await run(uploadsOf([['a', 'x']]), { shard: shard([['a', 'x']], 0, 1) })
    expect(await continued('here')).toBe(0)
    expect(await continued('elsewhere')).toBe(1)
  })

  it('shards by file continue with a ledger that was rebuilt', async () => {
    const files = [['a', 'b'], ['a', 'a', 'c'], ['a']]
    const { runAll, rebuild, loseLedger, stored } = createWorld()
    await runAll(files, 2)
    loseLedger()
    expect(await rebuild()).toMatchObject({ added: 6 })
    expect(await runAll(files, 2)).toBe(0)
    expect(stored()).toHaveLength(6)
  })

  it.each(['as it was written', 'rebuilt'])(
    'a ledger that was split in the other way is refused before anything is sent (%s)',
    async (state) => {
      const files = [['a', 'b'], ['a']]
      for (const first of ['file', 'content']) {
        const { run, shard, rebuild, loseLedger, stored } = createWorld()
        const byFile = { shard: shard(files, 0, 1) }
        const [before, after] = first === 'file' ? [byFile, {}] : [{}, byFile]
        await run(uploadsOf(files), before)
        if (state === 'rebuilt') {
          loseLedger()
          await rebuild()
        }
        await expect(run(uploadsOf(files), after)).rejects.toMatchObject({ code: 'ledger_split_otherwise' })
        expect(stored()).toHaveLength(3)
      }
    },
  )

  it('shards of both ways do not run at the same time', async () => {
    const files = [['a'], ['b']]
    const { run, shard, stored } = createWorld()
    const both = [
      run(uploadsOf(files), { shard: { index: 0, of: 2 } }),
      run(uploadsOf(files), { shard: shard(files, 1, 2) }),
    ]
    const ends = await Promise.allSettled(both)
    expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'ledger_locked' } }])
    expect(stored().length).toBeLessThanOrEqual(2)
  })

  it('an upload without the id of its file, and dedupe, are refused', async () => {
    const { run, shard } = createWorld()
    const options = { shard: shard([['a']], 0, 1) }
    await expect(run(uploadsOf([['b']]), options)).rejects.toThrow('expected file of each of transcripts to be one of')
    const all = () => run(uploadsOf([['a']]), { ...options, dedupe: true })
    await expect(all()).rejects.toThrow('dedupe')
  })
})
