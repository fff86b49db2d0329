import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../exit.js'
import type { Io } from '../io.js'
import { readPolicyFile } from './policy-file.js'

/** A world of files, in which the working directory is `/repo/sub`. */
function worldOf(files: Record<string, unknown>): Io {
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
    readFile: async (path: string) => new TextEncoder().encode(texts.get(resolve(path))),
  } as unknown as Io
}

const reading = (json: unknown) => readPolicyFile(worldOf({ '/repo/svc.checks.json': json }), undefined)

/** What is told of a file that is refused, without its path. */
async function flawsOf(json: unknown): Promise<string[]> {
  const error = (await reading(json).catch((error: unknown) => error)) as CliError
  expect(error).toMatchObject({
    name: 'CliError',
    exit: 3,
    message: expect.stringContaining('the policy cannot be used'),
  })
  return error.details.map((line) => line.replace('/repo/svc.checks.json:', ''))
}

describe('a policy file', () => {
  it('gives what it names, and nothing else', async () => {
    expect(await reading({})).toEqual({
      ...{ path: '/repo/svc.checks.json', folder: '/repo', policy: {} },
      ...{ annotator: undefined, options: undefined, paths: undefined, baseline: undefined },
      ...{ attempts: undefined, confirmOnFail: undefined },
    })
  })

  it('gives shares and durations as numbers, and paths from the working directory', async () => {
    const file = await reading({
      $schema: './node_modules/@svc/cli/svc.checks.schema.json',
      ...{
        annotator: 'patterns',
        options: { depth: 2 },
        paths: ['talks/**/*.json', 'sub', '.'],
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
      ...{ paths: ['../talks/**/*.json', '.', '..'], baseline: 'b.json' },
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
        { files: ['legacy/**'], failOn: undefined },
        { files: ['a.zip'], forbidden: [] },
      ],
    })
    expect(file?.policy.overrides?.[0]).toHaveProperty('failOn')
  })

  it('is looked for upwards, to the root of the repository', async () => {
    expect(await readPolicyFile(worldOf({ '/svc.checks.json': {} }), undefined)).toMatchObject({ folder: '/' })
    expect(await readPolicyFile(worldOf({ '/svc.checks.json': {}, '/repo/.git': '' }), undefined)).toBeUndefined()
    const nearer = worldOf({ '/repo/svc.checks.json': {}, '/repo/sub/svc.checks.json': {}, '/repo/.git': '' })
    expect(await readPolicyFile(nearer, undefined)).toMatchObject({ folder: '/repo/sub' })
  })

  it('that is named is that one, and has to be there', async () => {
    const io = worldOf({ 'svc.checks.json': { failOn: 'poor' }, '../ci/strict.json': { failOn: 'mixed' } })
    expect(await readPolicyFile(io, '../ci/strict.json')).toMatchObject({
      folder: '/repo/ci',
      policy: { failOn: 'mixed' },
    })
    expect(await readPolicyFile(io, false)).toBeUndefined()
    await expect(readPolicyFile(io, 'other.json')).rejects.toMatchObject({
      ...{ exit: 3, message: 'other.json: there is no such policy file.' },
    })
  })

  it('tells all that is wrong at once, each with its place', async () => {
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
        "5:18 /rates/0/outcome expected one of strong, mixed, poor, critical, found "por"; did you mean poor?",
        "5:32 /rates/0/max expected a share such as 0.05 or "5%", at most 1 or "100%", found 5",
        "5:42 /rates/0/sum unknown name; expected one of outcome, signal, max",
        "6:5 /rates/1/max expected a share such as 0.05 or "5%", at most 1 or "100%"",
        "3:16 /minJudged expected a share such as 0.05 or "5%", at most 1 or "100%", found "105%"",
        "8:17 /overrides/0/files expected a list of patterns",
        "8:29 /overrides/0/failOn expected one of strong, mixed, poor, critical, none, found null",
        "8:49 /overrides/1/files/0 can never match: patterns do not leave the folder of this file",
        "2:13 /failon unknown name; did you mean failOn?",
        "9:39 /required/0 the signal "loop" is required and forbidden",
        "6:59 /rates/3 the same as /rates/2; give one bound for it",
        "8:75 /overrides/2/files/0 is no pattern: Missing closing: "]" - use "\\\\]" to match literal characters",
      ]
    `)
  })
})
