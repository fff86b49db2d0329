import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const cache = ['--cache', 'cache']
const isWindows = platform() === 'win32'
const names = ['r.json', 'r.junit', 'r.sarif', 'r.md', 'r.html']
const reports = names.flatMap((name) => ['--report', `${name.slice(2)}=${name}`])

/** The files of the cache in a shell. */
const filesIn = ({ cwd }: { cwd: string }) => {
  const folder = join(cwd, 'cache')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

describe('svc check with a cache', () => {
  it('sends no request a second time if nothing changed, and reports the same', async () => {
    const shell = scriptedShell()
    const words = ['strong', 'poor loop', 'mixed', 'strong']
    const first = await shell.check(words, [...cache, '--json'])
    const { requests: before, usage, saved, ...one } = first.json()
    const second = await shell.check(words, [...cache, '--json'])
    const { requests, usage: none, saved: all, ...two } = second.json()
    expect([first.code, second.code, shell.asked.length]).toEqual([100, 100, 3])
    expect([before, requests]).toEqual([
      { sent: 3, cached: 0, same: 1 },
      { sent: 0, cached: 3, same: 1 },
    ])
    expect([usage, none]).toMatchObject([{ tokens_in: 9 }, { tokens_in: 0 }])
    expect([saved, all]).toEqual([
      { tokens_in: 3, tokens_out: 1 },
      { tokens_in: 12, tokens_out: 4 },
    ])
    expect(JSON.stringify(two).replaceAll('"cached"', '"asked"')).toBe(JSON.stringify(one))
  })

  it('asks exactly about the three of sixty that changed', async () => {
    const shell = scriptedShell()
    const words = Array.from({ length: 60 }, (_, at) => `strong s${at}`)
    await shell.check(words, cache)
    expect(shell.asked).toHaveLength(60)
    for (const at of [7, 20, 59]) words[at] = `mixed s${at}`
    const { json } = await shell.check(words, [...cache, '--json'])
    expect(shell.asked.slice(60).sort()).toEqual(['mixed s20', 'mixed s59', 'mixed s7'])
    expect(json()).toMatchObject({ requests: { sent: 3, cached: 57, same: 0 }, outcomes: { mixed: 3, strong: 57 } })
  })

  it.each([
    ['another annotator', ['--annotator', 'patterns']],
    ['other options', ['--option', 'depth=2']],
  ])('asks again with %s', async (_, flags) => {
    const shell = scriptedShell()
    await shell.check(['strong'], cache)
    await shell.check(['strong'], [...cache, ...flags])
    expect(shell.asked).toHaveLength(2)
  })

  it.each(['annotator_version', 'taxonomy_version'] as const)('asks again of another %s', async (version) => {
    const shell = scriptedShell()
    await shell.check(['strong'], cache)
    shell.versions[version] = '7'
    await shell.check(['strong'], cache)
    expect(shell.asked).toHaveLength(2)
  })

  it('keeps no failure, and every vote', async () => {
    const shell = scriptedShell()
    const flags = [...cache, '--attempts', '3', '--confirm-on-fail']
    await shell.check(['422|strong', 'poor|strong|strong'], flags)
    expect(shell.asked).toHaveLength(4)
    const { json } = await shell.check(['422|strong', 'poor|strong|strong'], [...flags, '--json'])
    expect(shell.asked).toHaveLength(5)
    expect(json()).toMatchObject({
      requests: { sent: 1, cached: 3 },
      cases: [{ answer: 'asked' }, { answer: 'cached', votes: ['poor', 'strong', 'strong'], flaky: true }],
    })
  })

  it('counts the remaining requests with --dry-run', async () => {
    const shell = scriptedShell()
    await shell.check(['strong', 'mixed'], cache)
    const { err } = await shell.check(['strong', 'mixed', 'poor'], [...cache, '--dry-run'])
    expect(err).toBe(
      '1 request (2 messages, about 30 tokens in) would be made for 3 transcripts with structural; nothing was sent\n',
    )
    expect(shell.asked).toHaveLength(2)
  })

  it('svc check with a cache is a folder of this user alone in SVC_CACHE_DIR, and none with --no-cache', async () => {
    const shell = scriptedShell()
    const env = { SVC_CACHE_DIR: join(shell.cwd, 'kept') }
    await shell.check(['strong'], ['--no-cache'], { env })
    const folder = join(env.SVC_CACHE_DIR, 'annotations')
    expect(() => statSync(folder)).toThrow('ENOENT')
    await shell.check(['strong'], [], { env })
    const [name = ''] = readdirSync(folder)
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
    if (!isWindows)
      expect([folder, join(folder, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
    await shell.check(['strong'], [], { env })
    expect(shell.asked).toHaveLength(2)
  })

  it.each<[string, (text: string, other: string) => string]>([
    ['another word', (text) => text.replace('"outcome":"poor"', '"outcome":"strong"')],
    ['a cut end', (text) => text.slice(0, -20)],
    ['nothing', () => ''],
    ['no JSON', () => 'hello'],
    ['other JSON', () => 'null'],
    ['the answer to another transcript', (_, other) => other],
    ['a field of a wrong type', (text) => text.replace('"usage":{', '"usage":null,"was":{')],
  ])('asks again where a file holds %s, and repairs the file', async (_, damage) => {
    const shell = scriptedShell()
    await shell.check(['strong'], cache)
    const [other = ''] = filesIn(shell)
    await shell.check(['poor'], cache)
    const [path = ''] = filesIn(shell).filter((each) => each !== other)
    writeFileSync(path, damage(readFileSync(path, 'utf8'), readFileSync(other, 'utf8')))
    const { code, err, json } = await shell.check(['poor'], [...cache, '--json'])
    const note = `1 file of the cache is damaged, and not used: ${basename(path)}`
    expect([code, shell.asked.length, json().notes]).toEqual([100, 3, [note]])
    expect(err).toContain(`warning: ${note}\n`)
    expect((await shell.check(['poor'], cache)).code).toBe(100)
    expect(shell.asked).toHaveLength(3)
  })

  it('never changes the verdict, whatever befalls a file', async () => {
    const shell = scriptedShell()
    await shell.check(['poor loop'], cache)
    const [path = ''] = filesIn(shell)
    const whole = readFileSync(path)
    const at = fc.nat(whole.length - 1)
    const damaged = fc.oneof(
      fc.tuple(at, fc.nat(255)).map(([place, byte]) => Buffer.from(whole).fill(byte, place, place + 1)),
      at.map((length) => whole.subarray(0, length)),
      fc.tuple(at, at).map(([from, to]) => Buffer.concat([whole.subarray(0, from), whole.subarray(to)])),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        writeFileSync(path, bytes)
        const { code, json } = await shell.check(['poor loop'], [...cache, '--json'])
        const isUsed = bytes.equals(whole)
        expect([code, json()]).toMatchObject([
          100,
          { requests: { sent: isUsed ? 0 : 1 }, outcomes: { poor: 1 }, signals: { loop: 1 } },
        ])
      }),
      { numRuns: runs(20) },
    )
  })

  it.each(['an old cache of one file', 'a transcript'])(
    'svc check with a cache is not used where --cache names %s, and every report says so',
    async (content) => {
      const shell = scriptedShell()
      const files = { cache: content }
      const { code } = await shell.check(['strong'], [...cache, ...reports], { files })
      const { err } = await shell.check(['strong'], cache)
      expect([code, shell.asked.length, readFileSync(join(shell.cwd, 'cache'), 'utf8')]).toEqual([0, 2, content])
      expect(err).toBe('warning: the cache of annotations is not used: cache is a file; name a folder\n')
      for (const name of names) expect(readFileSync(join(shell.cwd, name), 'utf8')).toContain('cache is a file')
    },
  )

  it('svc check with a cache in a folder that is a file goes on without it', async () => {
    const shell = scriptedShell()
    const flags = ['--cache', 'a.txt/cache', ...reports]
    const { code, err } = await shell.check(['strong'], flags, { files: { 'a.txt': '' } })
    const warning = 'the cache of annotations is not used: it cannot be read (ENOTDIR): a.txt/cache'
    expect([code, err]).toEqual([0, expect.stringContaining(`warning: ${warning}\n`)])
  })

  it.runIf(existsSync('/proc/self'))(
    'svc check with a cache that cannot be written is reported once, and the check goes on',
    async () => {
      const shell = scriptedShell()
      const { code, err } = await shell.check(['strong', 'mixed'], ['--cache', '/proc/svc/cache'])
      expect([code, err]).toEqual([
        0,
        'warning: the cache of annotations cannot be written (ENOENT): /proc/svc/cache\n',
      ])
    },
  )

  it.skipIf(isWindows)('makes files private that others could open, and reports it', async () => {
    const shell = scriptedShell()
    await shell.check(['strong'], cache)
    const [path = ''] = filesIn(shell)
    chmodSync(path, 0o644)
    const { err } = await shell.check(['strong'], cache)
    expect(err).toBe(
      'warning: others on this machine could open 1 file in cache; now they are yours alone. They hold excerpts of transcripts\n',
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('removes the oldest files beyond --cache-size, and those of the run last', async () => {
    const shell = scriptedShell()
    const words = ['strong a', 'strong b', 'strong c', 'strong d']
    for (const [age, each] of words.entries()) {
      const known = filesIn(shell)
      await shell.check([each], cache)
      const [added = ''] = filesIn(shell).filter((path) => !known.includes(path))
      utimesSync(added, 1_000 + age, 1_000 + age)
    }
    const bytes = statSync(filesIn(shell)[0] ?? '').size
    await shell.check(['strong a'], [...cache, '--cache-size', `${2 * bytes}`])
    expect(filesIn(shell)).toHaveLength(2)
    const { json } = await shell.check(words, [...cache, '--json'])
    expect(shell.asked.slice(4).sort()).toEqual(['strong b', 'strong c'])
    expect(json()).toMatchObject({ requests: { sent: 2, cached: 2 } })
  })

  it('removes drafts of killed processes after an hour, and nothing that is not its own', async () => {
    const shell = scriptedShell()
    const key = 'a'.repeat(64)
    const [old, fresh, foreign] = [`.${key}.json.1`, `.${key}.json.2`, 'mine.json']
    const files = Object.fromEntries([old, fresh, foreign].map((name) => [`cache/${name}`, 'x'.repeat(5_000)]))
    await shell.svc(['convert', 'cache', '--detect'], { files })
    utimesSync(join(shell.cwd, 'cache', old), 1_000, 1_000)
    await shell.check(['strong'], [...cache, '--cache-size', '2000'])
    expect(readdirSync(join(shell.cwd, 'cache')).sort()).toEqual([fresh, expect.stringMatching(/^\w{64}/), foreign])
  })

  it.each([404, 501])(
    'svc check with a cache is not used if the registry answers %i, with a note in every report',
    async (status) => {
      const shell = scriptedShell()
      const fetch = async (request: Request) =>
        request.url.endsWith('/v1/annotators')
          ? Response.json({ error: 'x', detail: 'no registry' }, { status })
          : shell.fetch(request)
      for (const times of [1, 2]) {
        const { code, err } = await shell.check(['strong'], [...cache, ...reports], { io: { fetch } })
        expect([code, shell.asked.length]).toEqual([0, times])
        expect(err).toContain('warning: the cache is not used: the annotator registry cannot be read')
        for (const name of names) expect(readFileSync(join(shell.cwd, name), 'utf8')).toContain('the cache is not used')
      }
    },
  )

  /** Checks conversations one after the other; each annotation, and each list of the registry, has the next of these versions. */
  async function withVersions(words: readonly string[], listed: readonly (string | number)[], answered: string[]) {
    const shell = scriptedShell()
    let lists = 0
    const fetch = async (request: Request) => {
      const isList = request.url.endsWith('/v1/annotators')
      const all = isList ? listed : answered
      const version = all[Math.min(isList ? lists++ : shell.asked.length, all.length - 1)] ?? ''
      if (typeof version === 'number') return Response.json({ error: 'x', detail: 'y' }, { status: version })
      shell.versions.taxonomy_version = version
      return shell.fetch(request)
    }
    const flags = [...cache, '-j', '1']
    const { code, err } = await shell.check(words, flags, { io: { fetch } })
    return { code, err, lists, kept: filesIn(shell).length }
  }

  it.each<[string, (string | number)[], string[], lists: number, kept: number]>([
    ['keeps answers of the listed versions, and lists once', ['1'], ['1'], 1, 3],
    ['lists once more where answers have other versions, and keeps them', ['1', '2'], ['2'], 2, 3],
    ['keeps an answer asked for before the versions changed', ['1', '2'], ['2', '1', '2'], 2, 3],
    ['does not keep answers of versions that are not listed', ['1'], ['3', '1', '4'], 2, 1],
    ['does not keep answers of other versions where the registry is gone', ['1', 404], ['2', '1', '2'], 2, 1],
  ])('%s', async (_, listed, answered, lists, kept) => {
    const ended = await withVersions(['strong 1', 'strong 2', 'strong 3'], listed, answered)
    expect(ended).toMatchObject({ code: 0, lists, kept })
    const warnings = ended.err
      .split('\n')
      .filter((line) => line.startsWith('warning: answers are of annotator version'))
    expect(warnings).toHaveLength(kept < 3 ? 1 : 0)
  })
})
