import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toldShell } from './told.js'

const cache = ['--cache', 'cache.jsonl']
const names = ['r.json', 'r.junit', 'r.sarif', 'r.md', 'r.html']
const reports = names.flatMap((name) => ['--report', `${name.slice(2)}=${name}`])

describe('svc check with a cache', () => {
  it('asks about nothing a second time where nothing changed, and says the same', async () => {
    const shell = toldShell()
    const words = ['strong', 'poor loop', 'mixed', 'strong']
    const first = await shell.check(words, [...cache, '--json'])
    const { requests: before, usage, ...one } = first.json()
    const second = await shell.check(words, [...cache, '--json'])
    const { requests, usage: none, ...two } = second.json()
    expect([first.code, second.code, shell.asked.length]).toEqual([100, 100, 3])
    expect([before, requests]).toEqual([
      { sent: 3, cached: 0, same: 1 },
      { sent: 0, cached: 3, same: 1 },
    ])
    expect([usage, none]).toMatchObject([{ tokens_in: 9 }, { tokens_in: 0 }])
    expect(JSON.stringify(two).replaceAll('"cached"', '"asked"')).toBe(JSON.stringify(one))
  })

  it('asks exactly about the three of four hundred that changed', async () => {
    const shell = toldShell()
    const words = Array.from({ length: 400 }, (_, at) => `strong s${at}`)
    await shell.check(words, cache)
    expect(shell.asked).toHaveLength(400)
    for (const at of [7, 200, 399]) words[at] = `mixed s${at}`
    const { json } = await shell.check(words, [...cache, '--json'])
    expect(shell.asked.slice(400).sort()).toEqual(['mixed s200', 'mixed s399', 'mixed s7'])
    expect(json()).toMatchObject({ requests: { sent: 3, cached: 397, same: 0 }, outcomes: { mixed: 3, strong: 397 } })
  })

  it.each([
    ['another annotator', ['--annotator', 'patterns']],
    ['other options', ['--option', 'depth=2']],
  ])('asks again with %s', async (_, flags) => {
    const shell = toldShell()
    await shell.check(['strong'], cache)
    await shell.check(['strong'], [...cache, ...flags])
    expect(shell.asked).toHaveLength(2)
  })

  it.each(['annotator_version', 'taxonomy_version'] as const)('asks again of another %s', async (version) => {
    const shell = toldShell()
    await shell.check(['strong'], cache)
    shell.versions[version] = '7'
    await shell.check(['strong'], cache)
    expect(shell.asked).toHaveLength(2)
  })

  it('keeps no failure, and every vote', async () => {
    const shell = toldShell()
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

  it('tells with --dry-run how many requests are left to make', async () => {
    const shell = toldShell()
    await shell.check(['strong', 'mixed'], cache)
    const { err } = await shell.check(['strong', 'mixed', 'poor'], [...cache, '--dry-run'])
    expect(err).toBe('1 request would be made for 3 transcripts with structural; nothing was sent\n')
    expect(shell.asked).toHaveLength(2)
  })

  it('is a file of one’s own in SVC_CACHE_DIR, and none with --no-cache', async () => {
    const shell = toldShell()
    const env = { SVC_CACHE_DIR: join(shell.cwd, 'kept') }
    await shell.check(['strong'], ['--no-cache'], { env })
    expect(() => statSync(env.SVC_CACHE_DIR)).toThrow('ENOENT')
    await shell.check(['strong'], [], { env })
    expect(statSync(join(env.SVC_CACHE_DIR, 'annotations.jsonl')).mode & 0o777).toBe(0o600)
    await shell.check(['strong'], [], { env })
    expect(shell.asked).toHaveLength(2)
  })

  it.each([
    ['corrupt', (text: string) => text.replace('strong', 'mixed'), 'is damaged, and 1 line of it not used'],
    ['half written', (text: string) => text.slice(0, -20), 'is damaged, and 1 line of it not used'],
    ['no cache', () => 'hello\n', 'is not used: it is no cache of this version of svc'],
  ])('that is %s is a miss with a warning, in every report too', async (_, damage, said) => {
    const shell = toldShell()
    await shell.check(['strong'], cache)
    const path = join(shell.cwd, 'cache.jsonl')
    writeFileSync(path, damage(readFileSync(path, 'utf8')))
    const { code, err } = await shell.check(['strong'], [...cache, ...reports])
    expect([code, shell.asked.length]).toEqual([0, 2])
    expect(err).toContain(`warning: the cache of annotations ${said}`)
    for (const name of names) expect(readFileSync(join(shell.cwd, name), 'utf8')).toContain(said)
  })

  it.each([404, 501])('is not used where the registry answers %i, and that is said in every report', async (status) => {
    const shell = toldShell()
    const fetch = async (request: Request) =>
      request.url.endsWith('/v1/annotators')
        ? Response.json({ error: 'x', detail: 'no registry' }, { status })
        : shell.fetch(request)
    for (const times of [1, 2]) {
      const { code, err } = await shell.check(['strong'], [...cache, ...reports], { io: { fetch } })
      expect([code, shell.asked.length]).toEqual([0, times])
      expect(err).toContain('warning: the cache is not used: the registry of the service cannot be read')
      for (const name of names) expect(readFileSync(join(shell.cwd, name), 'utf8')).toContain('the cache is not used')
    }
  })
})
