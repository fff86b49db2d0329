import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckError } from '../check-error.js'
import type { Files } from '../files.js'
import { unreadPolicies } from './find.js'
import { readPolicyFile } from './policy-file.js'

/** A world of files, in which the working directory is `/repo/sub`. */
function worldOf(files: Record<string, unknown>): Files {
  const resolve = (path: string) => posix.resolve('/repo/sub', path)
  const texts = new Map(
    Object.entries(files).map(([path, content]) => [
      resolve(path),
      typeof content === 'string' ? content : JSON.stringify(content),
    ]),
  )
  return {
    resolve,
    isThere: (path: string) => texts.has(resolve(path)),
    isNamed: (path: string) => texts.has(resolve(path)),
    readFile: async (path: string) => new TextEncoder().encode(texts.get(resolve(path))),
  }
}

const mayRun = async () => {}

const reading = (json: unknown) =>
  readPolicyFile(worldOf({ '/repo/svc.checks.json': json, '/repo/.git': '' }), undefined, mayRun)

/** The report of a file that is refused, without its path. */
async function flawsOf(json: unknown): Promise<string[]> {
  const error = (await reading(json).catch((error: unknown) => error)) as CheckError
  expect(error).toMatchObject({
    code: 'invalid_policy',
    message: expect.stringContaining('the policy cannot be used'),
  })
  return error.details.map((line) => line.replace('/repo/svc.checks.json:', ''))
}

describe('a policy file', () => {
  it('returns the keys of the file, and no others', async () => {
    expect(await reading({})).toEqual({
      ...{ path: '/repo/svc.checks.json', folder: '/repo', hash: expect.stringMatching(/^[0-9a-f]{64}$/), policy: {} },
      ...{ annotator: undefined, options: undefined, paths: undefined, baseline: undefined },
      ...{
        attempts: undefined,
        confirmOnFail: undefined,
        isCode: false,
        rules: new Map(),
        files: ['/repo/svc.checks.json'],
        policies: ['/repo/svc.checks.json'],
        annotatorPlace: expect.any(Function),
        verify: expect.any(Function),
        close: expect.any(Function),
      },
    })
  })

  it('resolves an absolute path, too', async () => {
    const { paths = [] } = (await reading({ paths: ['/data/a', '!/data/b'] })) ?? {}
    expect(paths).toEqual([expect.stringMatching(/^(\.\.\/)+data\/a$/), expect.stringMatching(/^!(\.\.\/)+data\/b$/)])
  })

  it('returns shares and durations as numbers, and paths relative to the working directory', async () => {
    const file = await reading({
      $schema: './node_modules/@svc/cli/svc.checks.schema.json',
      ...{
        annotator: 'patterns',
        options: { depth: 2 },
        paths: ['conversations/**/*.json', 'sub', '.'],
        baseline: 'sub/b.json',
      },
      ...{
        failOn: 'none',
        forbidden: ['loop'],
        rates: [
          { outcome: 'poor', max: '5%' },
          { signal: 'slow', max: 0.1 },
        ],
      },
      ...{ confidence: '95%', minJudged: '97.5 %', maxTokens: 1e6, deadline: '5m', attempts: 3, confirmOnFail: true },
      overrides: [
        { files: ['legacy/**'], failOn: 'none' },
        { files: ['a.zip'], forbidden: [] },
      ],
    })
    expect(file).toMatchObject({
      ...{ annotator: 'patterns', options: { depth: 2 }, attempts: 3, confirmOnFail: true },
      ...{ paths: ['../conversations/**/*.json', '.', '..'], baseline: 'b.json' },
    })
    expect(file?.policy).toEqual({
      ...{
        failOn: 'none',
        forbidden: ['loop'],
        confidence: 0.95,
        minJudged: 0.975,
        maxTokens: 1e6,
        deadlineMs: 300_000,
      },
      rates: [
        { of: { outcome: 'poor' }, max: 0.05 },
        { of: { signal: 'slow' }, max: 0.1 },
      ],
      overrides: [
        { files: ['legacy/**'], failOn: 'none' },
        { files: ['a.zip'], forbidden: [] },
      ],
    })
    expect(file?.policy.overrides?.[0]).toHaveProperty('failOn')
  })

  it('a policy file is searched in parent folders, up to the root of the repository', async () => {
    const ofRoot = { '/svc.checks.json': {} }
    expect(await readPolicyFile(worldOf({ ...ofRoot, '/.git': '' }), undefined, mayRun)).toMatchObject({ folder: '/' })
    expect(await readPolicyFile(worldOf({ ...ofRoot, '/repo/.git': '' }), undefined, mayRun)).toBeUndefined()
    const nearer = worldOf({ '/repo/svc.checks.json': {}, '/repo/sub/svc.checks.json': {}, '/repo/.git': '' })
    expect(await readPolicyFile(nearer, undefined, mayRun)).toMatchObject({ folder: '/repo/sub' })
  })

  it('outside of a repository, a policy file is searched in the working directory alone', async () => {
    const above = { '/svc.checks.json': {}, '/repo/svc.checks.json': {} }
    expect(await readPolicyFile(worldOf(above), undefined, mayRun)).toBeUndefined()
    const here = worldOf({ ...above, 'svc.checks.json': {} })
    expect(await readPolicyFile(here, undefined, mayRun)).toMatchObject({ folder: '/repo/sub' })
  })

  it.each<[readonly string[], string | undefined]>([
    [[], '/repo/sub'],
    [['other'], '/repo/sub'],
    [['/data'], '/repo/sub'],
    [['-', '../sub', 'a.json'], '/repo/sub'],
    [['t'], '/repo/sub/t'],
    [['t', 't/deep', 't/*.json'], '/repo/sub/t'],
    [['../x/t'], '/repo/x/t'],
    [['t/deep'], '/repo/sub'],
    [['t', 'other'], undefined],
    [['t', '../x/t'], undefined],
    [['t', '-'], undefined],
  ])('the policy for the paths %j is that of the folder %s', async (paths, folder) => {
    const folders = ['/repo/sub', '/repo/sub/t', '/repo/x/t', '/repo/x']
    const policies = folders.map((each) => [`${each}/svc.checks.json`, {}])
    const read = readPolicyFile(worldOf(Object.fromEntries(policies)), paths, mayRun)
    if (folder) expect(await read).toMatchObject({ folder })
    else
      await expect(read).rejects.toMatchObject({
        code: 'invalid_policy',
        message: 'The paths have different policies.',
        details: expect.arrayContaining(['t: /repo/sub/t/svc.checks.json']),
      })
  })

  it('paths of which only some have a policy are refused', async () => {
    const read = readPolicyFile(worldOf({ 't/svc.checks.json': {} }), ['t', 'other'], mayRun)
    await expect(read).rejects.toMatchObject({ details: ['t: /repo/sub/t/svc.checks.json', 'other: no policy'] })
  })

  it.each<[target: string, isAllowed: boolean]>([
    ['./a.json', true],
    ['../b.json', true],
    ['/repo/b.json', true],
    ['./link/../a.json', true],
    ['../../c.json', false],
    ['/c.json', false],
    ['./link/d.json', false],
    ['../../none.json', false],
  ])('a policy that was found may extend %s: %s; one that is named may extend any', async (target, isAllowed) => {
    const files = Object.fromEntries(['a.json', '../b.json', '/c.json', 'link/d.json'].map((path) => [path, {}]))
    const world = worldOf({ ...files, '/repo/.git': '', 'svc.checks.json': { extends: target } })
    const asked: string[] = []
    const io: Files = {
      ...world,
      realPath: async (path) => path.replace(/^\/repo\/sub\/link(?=\/|$)/, '/private'),
      readFile(path, bound) {
        asked.push(path)
        return world.readFile(path, bound)
      },
    }
    const named = readPolicyFile(io, 'svc.checks.json', mayRun)
    if (target.includes('none')) await expect(named).rejects.toThrow('cannot be used')
    else expect(await named).toBeDefined()
    asked.length = 0
    const searched = readPolicyFile(io, undefined, mayRun)
    if (isAllowed) expect(await searched).toBeDefined()
    else
      await expect(searched).rejects.toMatchObject({
        details: [
          `/repo/sub/svc.checks.json:1:12 /extends names "${target}", which is outside of the folder of the policy, the working directory and the repository`,
        ],
      })
    expect(asked.length).toBe(isAllowed ? 2 : 1)
  })

  it('files that look like a policy and are not read are named', async () => {
    const names: Record<string, string[]> = {
      '/repo/sub': [
        'svc.checks.json',
        'svc.checks.yml',
        '.svc.checks.json',
        'svc.check.json',
        'svc.checks.schema.json',
      ],
      '/repo': ['.git', 'svc.checks.cjs', 'svc.checks.base.json', 'README.md'],
      '/': ['svc.checks.yml'],
      '/data': ['svc.checks.json'],
      '/data/t': ['svc-checks.toml'],
      '/repo/sub/t': ['svc.checks.ts'],
    }
    const all = Object.entries(names).flatMap(([folder, fileNames]) =>
      fileNames.map((name) => posix.join(folder, name)),
    )
    const io = {
      ...worldOf(Object.fromEntries(all.map((path) => [path, {}]))),
      async readDirectory(path: string) {
        if (names[path]) return names[path].map((name) => ({ name }))
        throw new Error('ENOENT')
      },
    }
    const { '/repo/.git': _, ...outside } = Object.fromEntries(all.map((path) => [path, {}]))
    expect(await unreadPolicies({ ...io, ...worldOf(outside) }, [], ['/repo/sub/svc.checks.json'])).toEqual([
      ...['../../svc.checks.yml', '../svc.checks.cjs', '.svc.checks.json', 'svc.check.json', 'svc.checks.yml'],
    ])
    const here = ['../svc.checks.cjs', '.svc.checks.json', 'svc.check.json', 'svc.checks.yml']
    expect(await unreadPolicies(io, [], [])).toEqual(here)
    expect(await unreadPolicies(io, ['t/u/a.json', '-', '/data/t/b.json'], ['/repo/sub/svc.check.json'])).toEqual(
      ['../../data/svc.checks.json', '../../data/t/svc-checks.toml', 't/svc.checks.ts', ...here]
        .filter((path) => path !== 'svc.check.json')
        .sort(),
    )
  })

  it('a policy that extends others is as one file with the keys of all, of which the first wins', async () => {
    const keys = fc.record(
      {
        failOn: fc.constantFrom('strong', 'none'),
        forbidden: fc.subarray(['a', 'b']),
        required: fc.subarray(['c', 'd']),
        minJudged: fc.constantFrom('5%', 1),
        attempts: fc.integer({ min: 1, max: 9 }),
        annotator: fc.constantFrom('x', 'y'),
        options: fc.dictionary(fc.constantFrom('a', 'b'), fc.nat()),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { minLength: 2, maxLength: 4 }), async (files) => {
        const name = (at: number) => (at === 0 ? '/repo/sub/svc.checks.json' : `/repo/${at}/p.json`)
        const extending = files.map((file, at) => [
          name(at),
          at + 1 < files.length ? { ...file, extends: `../${at + 1}/p.json` } : file,
        ])
        const options = Object.assign({}, ...files.map((file) => file.options ?? {}).reverse())
        const isAny = files.some((file) => file.options !== undefined)
        const one = { ...Object.assign({}, ...[...files].reverse()), ...(isAny && { options }) }
        const [all, alone] = await Promise.all(
          [Object.fromEntries(extending), { [name(0)]: one }].map((world) =>
            readPolicyFile(worldOf({ ...world, '/repo/.git': '' }), undefined, mayRun),
          ),
        )
        const facts = (file: typeof all) => [file?.policy, file?.annotator, file?.options, file?.attempts]
        expect(facts(all)).toEqual(facts(alone))
      }),
    )
  })

  it('reads the file that --policy selects, and reports a missing one', async () => {
    const io = worldOf({ 'svc.checks.json': { failOn: 'poor' }, '../ci/strict.json': { failOn: 'mixed' } })
    expect(await readPolicyFile(io, '../ci/strict.json', mayRun)).toMatchObject({
      folder: '/repo/ci',
      policy: { failOn: 'mixed' },
    })
    expect(await readPolicyFile(io, false, mayRun)).toBeUndefined()
    await expect(readPolicyFile(io, 'other.json', mayRun)).rejects.toMatchObject({
      ...{ code: 'unreadable_file', message: 'other.json: there is no such policy file.' },
    })
  })

  it('reports all problems at once, each with its place', async () => {
    const text = `{
  "failon": "poor",
  "minJudged": "105%",
  "rates": [
    { "outcome": "por", "max": 5, "sum": 1 },
    { "signal": "loop" }, { "signal": "slow", "max": 0 }, { "signal": "slow", "max": 1 }
  ],
  "overrides": [{ "failOn": null }, { "files": ["../x/**"] }, { "files": ["a[b"] }],
  "forbidden": ["loop"], "required": ["loop"]
}`
    expect(await flawsOf(text)).toMatchInlineSnapshot(`
      [
        "2:13 /failon unknown name; did you mean failOn?",
        "3:16 /minJudged expected a share such as 0.05 or "5%", at most 1 or "100%", found "105%"",
        "5:18 /rates/0/outcome expected one of strong, mixed, poor, critical, found "por"; did you mean poor?",
        "5:32 /rates/0/max expected a share such as 0.05 or "5%", at most 1 or "100%", found 5",
        "5:42 /rates/0/sum unknown name; expected one of outcome, signal, max, by",
        "6:5 /rates/1/max expected a share such as 0.05 or "5%", at most 1 or "100%"",
        "6:59 /rates/3 the same as /rates/2; give one bound for it",
        "8:17 /overrides/0/files expected a list of patterns",
        "8:29 /overrides/0/failOn expected one of strong, mixed, poor, critical, none, found null",
        "8:49 /overrides/1/files/0 can never match: patterns do not leave the folder of this file",
        "8:75 /overrides/2/files/0 is not a valid pattern: Missing closing: "]" - use "\\\\]" to match literal characters",
        "9:39 /required/0 the signal "loop" is required and forbidden",
      ]
    `)
  })

  it.each<[string, string]>([
    ['{ "failOn": "poor", }', '1:21 expected another element; remove the comma before it'],
    ['', '1:1 expected a value'],
    ['[]', '1:1 expected an object, found a list'],
    ['{ "__proto__": {} }', '1:16 /__proto__ unknown name; expected one of $schema, extends, annotator'],
    ['{ "options": [] }', '1:14 /options expected an object of annotation options, found a list'],
    ['{ "annotator": "" }', '1:16 /annotator expected the id of an annotator, found ""'],
    ['{ "paths": [] }', '1:12 /paths expected at least one path'],
    ['{ "paths": ["-"] }', '1:13 /paths/0 standard input can be named on the command line only'],
    [
      '{ "confidence": 0.5 }',
      '1:17 /confidence expected a confidence above 0.5 and below 1, such as 0.95 or "95%", found 0.5',
    ],
    ['{ "confidence": "50.0%" }', '1:17 /confidence expected a confidence above 0.5'],
    ['{ "confidence": 0.95 }', '1:17 /confidence requires a rate; add "rates", or use --confidence with --max-rate'],
    ['{ "confidence": 0.95, "rates": 1 }', '1:32 /rates expected a list of rates'],
    ['{ "failOn": "poor",\n  "failOn": "none" }', '2:3 /failOn is given twice'],
    ['{ "options": { "a": [{}, { "ü": 1, "\\u00fc": 2 }] } }', '1:36 /options/a/1/ü is given twice'],
    ['{ "schema": "svc/baseline@2", "transcripts": [] }', '1:13 /schema expected a policy, found svc/baseline@2'],
    ['{ "minJudged": 1.01 }', '1:16 /minJudged expected a share'],
    ['{ "minJudged": "0.05" }', '1:16 /minJudged expected a share'],
    ['{ "maxTokens": 0 }', '1:16 /maxTokens expected a whole number from 1, found 0'],
    ['{ "maxCost": 0 }', '1:14 /maxCost expected an amount above 0, found 0'],
    ['{ "maxCost": 5 }', '1:14 /maxCost requires "prices"'],
    ['{ "maxCost": 5, "prices": 1 }', '1:27 /prices expected an object'],
    ['{ "maxTokens": 1.5 }', '1:16 /maxTokens expected a whole number from 1, found 1.5'],
    ['{ "deadline": "0s" }', '1:15 /deadline expected a duration such as "90s" or "5m", found "0s"'],
    ['{ "deadline": 300 }', '1:15 /deadline expected a duration such as "90s" or "5m", found 300'],
    ['{ "attempts": 10 }', '1:15 /attempts expected a whole number from 1 to 9, found 10'],
    ['{ "confirmOnFail": 1 }', '1:20 /confirmOnFail expected true or false, found 1'],
    ['{ "attempts": 1, "confirmOnFail": true }', '1:35 /confirmOnFail needs "attempts" of 2 or more'],
    ['{ "indeterminate": "pass" }', '1:20 /indeterminate expected one of unjudged, fail, warn, ignore, found "pass"'],
    ['{ "rates": [{ "max": 1 }] }', '1:13 /rates/0 expected either outcome or signal'],
    [
      '{ "rates": [{ "outcome": "poor", "signal": "x", "max": 1 }] }',
      '1:13 /rates/0 expected either outcome or signal',
    ],
    [
      '{ "reading": [{ "files": ["*.csv"], "map": { "role": "who", "role:Ann": "boss" } }] }',
      '1:73 /reading/0/map/role:Ann expected the role user, assistant, system, tool or human_agent, found "boss"',
    ],
    [
      '{ "reading": [{ "files": ["*.csv"], "map": { "rolle": "who" } }] }',
      '1:55 /reading/0/map/rolle expected one of id, role, content',
    ],
    ['{ "rates": ["poor <= 5%"] }', '1:13 /rates/0 expected an object, found "poor <= 5%"'],
    [
      '{ "allowed": ["a"], "required": ["b"] }',
      '1:34 /required/0 the signal "b" is required and not among those that are allowed',
    ],
    ['{ "overrides": [{ "files": [] }] }', '1:28 /overrides/0/files expected at least one pattern'],
    ['{ "overrides": [{ "files": ["/a/**"] }] }', '1:29 /overrides/0/files/0 can never match: patterns start from'],
    ['{ "overrides": [{ "files": ["C:/a/**"] }] }', '1:29 /overrides/0/files/0 can never match: patterns start from'],
    ['{ "overrides": [{ "files": ["a/../b"] }] }', '1:29 /overrides/0/files/0 can never match: patterns do not leave'],
    ['{ "overrides": [{ "files": ["legacy/"] }] }', '1:29 /overrides/0/files/0 can never match: a folder has no name'],
    ['{ "overrides": [{ "files": ["a\\\\**"] }] }', '1:29 /overrides/0/files/0 has a \\ that is not before a bracket'],
    ['{ "overrides": [{ "files": ["!a/**"] }] }', '1:29 /overrides/0/files/0 cannot begin with !'],
    [
      '{ "required": ["a"], "overrides": [{ "files": ["x"], "forbidden": ["a"] }] }',
      '1:67 /overrides/0/forbidden the signal "a" is required and forbidden',
    ],
  ])('a policy file is refused as %s', async (text, expected) => {
    const flaws = await flawsOf(text)
    expect(flaws).toHaveLength(1)
    expect(flaws[0]).toContain(expected)
  })
})
