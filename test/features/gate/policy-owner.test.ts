import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realIo } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const env = { SVC_CONFIG: 'c.json' }
const json = (value: object) => JSON.stringify(value)

/** A shell whose transcript fails by default, in a repository unless told otherwise. */
function repository(isRepository = true) {
  const shell = scriptedShell()
  if (isRepository) mkdirSync(join(shell.cwd, '.git'))
  const at = (path: string) => join(shell.cwd, path)
  const check = (files: Record<string, unknown> = {}, flags: string[] = [], io = {}, more = {}) =>
    shell.check(['poor'], flags, { env: { ...env, ...more }, files, io })
  return { ...shell, at, check }
}

describe('a policy that cannot be read', () => {
  it.each<[string, (at: (path: string) => string) => void]>([
    ['a link to nothing', (at) => symlinkSync('gone/svc.checks.json', at('svc.checks.json'))],
    ['a link to itself', (at) => symlinkSync('svc.checks.json', at('svc.checks.json'))],
    ['a link to a folder', (at) => symlinkSync('conversations', at('svc.checks.json'))],
    ['a folder', (at) => mkdirSync(at('svc.checks.json'))],
    ['a program behind a link to nothing', (at) => symlinkSync('gone.ts', at('svc.checks.ts'))],
  ])('is refused where it is %s', async (_, make) => {
    const { at, check, asked } = repository()
    make(at)
    const { code, err } = await check()
    expect([code, asked, err]).toEqual([3, [], expect.stringContaining('cannot read the policy')])
    expect((await check({}, ['--no-policy'])).code).toBe(100)
  })

  it.skipIf(process.getuid?.() === 0)('is refused where it may not be read', async () => {
    const { at, check } = repository()
    writeFileSync(at('svc.checks.json'), '{}', { mode: 0 })
    expect((await check()).err).toContain('cannot read the policy (EACCES)')
  })

  it('is refused where --policy names a link to nothing', async () => {
    const { at, check } = repository()
    symlinkSync('gone.json', at('p.json'))
    const { code, err } = await check({}, ['--policy', 'p.json'])
    expect([code, err]).toEqual([3, expect.stringContaining('p.json: there is no such policy file.')])
  })
})

describe('the search for a policy', () => {
  const loose = { 'svc.checks.json': { failOn: 'none' } }
  const below = (shell: ReturnType<typeof repository>, flags: string[] = []) => {
    mkdirSync(shell.at('work'))
    const signals = { signal: new AbortController().signal, onSignal: () => () => {} }
    const { stdout, stderr, fetch, env: own, ...io } = realIo(process, shell.at('work'), signals)
    const argv = ['check', '../conversations', '--annotator', 'structural', ...flags]
    return shell.clock.until(shell.svc(argv, { env: { SVC_CONFIG: shell.at('c.json') }, io }))
  }

  it('ends at the working directory outside of a repository, and names the policy above that is not read', async () => {
    const shell = repository(false)
    expect((await shell.check(loose)).code).toBe(0)
    const { code, err } = await below(shell)
    expect([code, err]).toEqual([
      100,
      expect.stringMatching(/^note: 1 file .* is not read: \.\.\/svc\.checks\.json \(.*\n$/),
    ])
  })

  it('goes up to the root of the repository, and says which policy is used, with --quiet too', async () => {
    const shell = repository()
    const here = await shell.check(loose, ['--quiet'])
    const note = `using the policy ${shell.at('svc.checks.json')}\n`
    expect([here.code, here.err]).toEqual([0, note])
    const { code, err } = await below(shell, ['--quiet'])
    expect([code, err]).toEqual([0, note])
  })
})

describe('a policy of another user', () => {
  const loose = { 'svc.checks.json': { failOn: 'none' } }

  it.each([
    ['the file', [1234, 1000, 1000]],
    ['its folder', [1000, 1234, 1000]],
    ['the folder of the target of a link', [1000, 1000, 1234]],
    ['root', [0, 1000, 1000]],
  ])('is refused until it is trusted, where %s belongs to that user', async (_, owners) => {
    const { check, svc, asked } = repository()
    const io = { uid: 1000, ownersOf: () => owners }
    const { code, err } = await check(loose, [], io)
    const other = owners.find((owner) => owner !== 1000)
    expect([code, asked]).toEqual([3, []])
    expect(err).toContain('svc.checks.json or its folder belongs to another user, but is not trusted.\n')
    expect(err).toContain(`svc.checks.json: user ${other}\nhint: check the file, then run`)
    expect((await svc(['config', 'trust', '--yes'], { env, io })).code).toBe(0)
    expect((await check({}, [], io)).code).toBe(0)
    const changed = await check({ 'svc.checks.json': { failOn: 'critical' } }, [], io)
    expect([changed.code, changed.err]).toEqual([3, expect.stringContaining('has changed since it was trusted')])
    expect((await check({}, ['--policy', 'svc.checks.json'], io)).code).toBe(0)
    expect((await check({}, ['--no-policy'], io)).code).toBe(100)
  })

  it.each<[number | undefined, number, string | undefined, number]>([
    [1000, 1000, undefined, 0],
    [0, 0, undefined, 0],
    [0, 1000, undefined, 3],
    [0, 1000, '1000', 0],
    [0, 1001, '1000', 3],
    [0, 1000, 'x', 3],
    [1001, 1000, '1000', 3],
    [undefined, 1000, undefined, 0],
  ])('as user %s, a policy of %s is accepted as Git accepts it, with SUDO_UID %s', async (uid, owner, sudo, code) => {
    const shell = repository()
    const more = { env: { ...env, SUDO_UID: sudo }, files: loose, io: { uid, ownersOf: () => [owner] } }
    expect((await shell.check(more.files, [], more.io, more.env)).code).toBe(code)
  })

  it.skipIf(process.getuid?.() !== 0)('is one whose file or target belongs to another user', async () => {
    const { at, check } = repository()
    writeFileSync(at('theirs.json'), json({ failOn: 'none' }))
    symlinkSync('theirs.json', at('svc.checks.json'))
    expect((await check()).code).toBe(0)
    chownSync(at('theirs.json'), 1234, 1234)
    expect((await check()).err).toContain('svc.checks.json: user 1234')
  })
})

describe('the trust of a program', () => {
  const files = {
    'svc.checks.ts': `import { words } from './rules/words'\nimport data from "../shared/data.json"\nexport default { failOn: 'none', rules: { r: () => words(data) } }`,
    'rules/words.ts': `const { more } = await import(\n  // The rest\n  /* of it */ './more.js'\n)\nexport const words = more`,
    'rules/more.ts': 'export const more = () => []',
  }

  it('covers the files that it imports, and one that would be imported in place of them', async () => {
    const { at, check, svc } = repository()
    const own = { ...files, 'svc.checks.ts': files['svc.checks.ts'].replace('../shared', './shared') }
    expect((await check({ ...own, 'shared/data.json': {} })).code).toBe(3)
    const trusted = await svc(['config', 'trust', '--yes'], { env })
    expect([trusted.code, trusted.out]).toEqual([0, expect.stringContaining(at('rules/more.ts'))])
    expect((await check()).code).toBe(0)
    for (const changed of ['rules/words.ts', 'rules/more.ts', 'rules/words.js']) {
      const other = await check({ ...own, [changed]: 'export const words = () => [], more = words' })
      expect([other.code, other.err], changed).toEqual([3, expect.stringContaining('has changed since it was trusted')])
    }
  })
})

it('a transcript that a program names is checked, and is no part of its trust', async () => {
  const { check, svc } = repository()
  const paths = `paths: ['./conversations/0.json']`
  const files = {
    'svc.checks.ts': `import one from './conversations/1.json'\nexport default { ${paths}, rules: { r: () => (one ? [] : 'x') } }`,
    'conversations/1.json': [{ role: 'user', content: 'poor' }],
  }
  const named = await check(files, ['--policy', 'svc.checks.ts', '--json'])
  expect([named.code, named.json()]).toMatchObject([100, { total: 2 }])
  await svc(['config', 'trust', '--yes'], { env })
  expect((await check({ 'conversations/0.json': [{ role: 'user', content: 'poor again' }] })).code).toBe(100)
})
