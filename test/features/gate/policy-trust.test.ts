import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const conversation = [
  { role: 'user', content: 'Where is my order?' },
  { role: 'assistant', content: 'On its way.' },
]
const policy = { annotator: 'structural', failOn: 'none', paths: ['conversations'] }

/** A folder that somebody else made, in which `svc` is run, and beside it one of the user's. */
function cloneShell() {
  const shell = createShell()
  const mine = createShell().cwd
  writeFileSync(join(mine, 'a.json'), JSON.stringify(conversation))
  mkdirSync(join(shell.cwd, 'conversations'))
  writeFileSync(join(shell.cwd, 'conversations/b.json'), JSON.stringify(conversation))
  symlinkSync(mine, join(shell.cwd, 'link'))
  const check = (more: object, ...argv: string[]) =>
    shell.svc(['check', ...argv], {
      files: { 'svc.checks.json': { ...policy, ...more } },
      env: { SVC_CONFIG: 'c.json', SVC_CACHE_DIR: '.cache' },
    })
  const trust = (...argv: string[]) =>
    shell.svc(['config', 'trust', '--yes', ...argv], { env: { SVC_CONFIG: 'c.json' } })
  return { ...shell, mine, beside: `../${basename(mine)}`, check, trust }
}

it.each<[string, (beside: string) => object]>([
  ['a path of a folder', (beside) => ({ paths: ['conversations', beside] })],
  ['a path of a file', (beside) => ({ paths: [`${beside}/a.json`] })],
  ['a pattern', (beside) => ({ paths: [`${beside}/*.json`] })],
  ['a path that goes through a link', () => ({ paths: ['link/a.json'] })],
  ['a link', () => ({ paths: ['link'] })],
  ['a pattern behind a link', () => ({ paths: ['link/*.json'] })],
  ['a baseline', (beside) => ({ baseline: `${beside}/new.json` })],
  ['a baseline behind a link', () => ({ baseline: 'link/new.json' })],
])('a policy that is not trusted may not name %s outside of its folder', async (_, more) => {
  const { check, trust, beside, cwd, server } = cloneShell()
  const refused = await check(more(beside), '--update-baseline')
  expect([refused.code, refused.err]).toEqual([
    3,
    expect.stringMatching(
      /svc\.checks\.json names paths outside of its folder, but is not trusted\.\n {2}.*\nhint: check the file, then run `svc config trust \/.*svc\.checks\.json`, or name it with --policy\n$/,
    ),
  ])
  expect(server.requests).toEqual([])
  expect((await trust()).out).toContain(`${Object.keys(more(beside)).at(-1)}\t`)
  const update = 'baseline' in more(beside) ? ['--update-baseline'] : []
  expect((await check(more(beside), ...update)).code).toBe(0)
  const changed = await check({ ...more(beside), attempts: 2 })
  expect([changed.code, changed.err]).toEqual([3, expect.stringContaining('but has changed since it was trusted.')])
  expect(JSON.parse(readFileSync(join(cwd, 'c.json'), 'utf8')).trusted).toHaveProperty([join(cwd, 'svc.checks.json')])
})

it('a policy that is not trusted may not name a folder above inside of a pattern', async () => {
  expect((await cloneShell().check({ paths: ['{conversations,..}/*.json'] })).code).toBe(3)
})

it('a policy needs no trust for paths in its folder or the working directory, or for files that it excludes', async () => {
  const { check, beside, svc, cwd } = cloneShell()
  expect(
    (
      await check(
        { paths: ['conversations', 'conversations/*.json', `!${beside}/**`], baseline: 'kept/new.json' },
        '--update-baseline',
      )
    ).code,
  ).toBe(0)
  mkdirSync(join(cwd, 'ci'))
  const strict = { 'ci/strict.json': { ...policy, paths: ['../conversations'] } }
  const env = { SVC_CACHE_DIR: '.cache' }
  expect((await svc(['check', '--policy', 'ci/strict.json'], { files: strict, env })).code).toBe(0)
})

it('a policy that --policy names is trusted, and svc config trust accepts no other kind of file', async () => {
  const { beside, svc, trust } = cloneShell()
  const files = { 'other.json': { ...policy, paths: [beside] }, 'a.json': conversation }
  const env = { SVC_CONFIG: 'c.json', SVC_CACHE_DIR: '.cache' }
  expect((await svc(['check', '--policy', 'other.json'], { files, env })).code).toBe(0)
  expect((await trust('a.json')).code).toBe(3)
})

it.each<[string, (beside: string) => string]>([
  ['a path', (beside) => `${beside}/secret.json`],
  ['a path behind a link', () => './link/secret.json'],
  ['a package that is a link', () => 'linked/secret.json'],
  ['a path out of a package', (beside) => `x/../../${beside}/secret.json`],
])('a policy that was found may not extend %s outside of its repository, also if it is trusted', async (_, target) => {
  const { check, trust, beside, mine, cwd } = cloneShell()
  writeFileSync(join(mine, 'secret.json'), JSON.stringify({ failOn: 'SECRET-VALUE', 'SECRET-NAME': 1 }))
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(mine, join(cwd, 'node_modules/linked'))
  const refused = await check({ extends: target(beside) })
  expect([refused.code, refused.err]).toEqual([
    3,
    expect.stringContaining('which is outside of the folder of the policy, the working directory and the repository'),
  ])
  expect((await trust()).code).toBe(3)
  const named = await check({ extends: target(beside) }, '--policy', 'svc.checks.json')
  expect([refused.err.includes('SECRET'), named.err.includes('SECRET')]).toEqual([false, true])
})

it('a policy that was found may extend a package outside of its repository, and this its own files', async () => {
  const { check, mine, cwd } = cloneShell()
  const real = join(mine, 'node_modules/policy')
  mkdirSync(join(real, 'parts'), { recursive: true })
  writeFileSync(join(real, 'svc.checks.json'), '{"extends": "./parts/base.json"}')
  writeFileSync(join(real, 'parts/base.json'), '{"failOn": "strong"}')
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(real, join(cwd, 'node_modules/policy'))
  const extending = { extends: 'policy', failOn: undefined }
  expect((await check(extending)).code).toBe(100)
  writeFileSync(join(real, 'svc.checks.json'), '{"extends": "../../a.json"}')
  expect((await check(extending)).code).toBe(3)
})

it('a policy that is a link to a file outside of its repository must be named', async () => {
  const { mine, cwd, svc } = cloneShell()
  writeFileSync(join(mine, 'policy.json'), '{"failOn": "SECRET-VALUE"}')
  symlinkSync(join(mine, 'policy.json'), join(cwd, 'svc.checks.json'))
  const refused = await svc(['check', 'conversations', '--annotator', 'structural'])
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('is a link to a file outside')])
  const named = await svc(['check', 'conversations', '--policy', 'svc.checks.json'])
  expect([refused.err.includes('SECRET'), named.err.includes('SECRET')]).toEqual([false, true])
})
