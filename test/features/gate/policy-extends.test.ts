import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const env = { SVC_CONFIG: 'c.json' }
const run = async (words: string[], files: Record<string, unknown>, flags: string[] = []) => {
  const shell = scriptedShell()
  const { code, err, out } = await shell.check(words, ['--report', 'json=r.json', ...flags], { env, files })
  const { policy } = JSON.parse(readFileSync(join(shell.cwd, 'r.json'), 'utf8'))
  return { ...shell, code, err, out, policy }
}

describe('a policy that extends another', () => {
  it('overrides its keys, replaces its lists, and adds to its objects', async () => {
    const { code, policy, bodies } = await run(['strong loop'], {
      'svc.checks.json': { extends: './base/strict.json', forbidden: ['slow'], options: { depth: 2 } },
      'base/strict.json': {
        extends: '../root.json',
        failOn: 'none',
        forbidden: ['loop'],
        options: { depth: 1, width: 1 },
      },
      'root.json': { failOn: 'strong', minJudged: '90%' },
    })
    expect(policy).toMatchObject({ failOn: 'none', forbidden: ['slow'], minJudged: 0.9 })
    expect(policy).not.toHaveProperty('extends')
    expect([code, bodies]).toMatchObject([0, [{ options: { depth: 2, width: 1 } }]])
  })

  it('reads paths and patterns from its own folder', async () => {
    const base = { overrides: [{ files: ['conversations/**'], failOn: 'none' }], exclude: ['conversations/1.json'] }
    const files = { 'svc.checks.json': { extends: './base/base.json' }, 'base/base.json': base }
    const { code, out } = await run(['poor', 'poor'], files)
    expect([code, out]).toEqual([0, expect.stringContaining('no transcript breaks a rule (1 judged)')])
  })

  it.each<[string, string, string]>([
    ['the main file of a package', '@acme/policy', '@acme/policy/package.json'],
    ['the policy in a package', '@acme/other', '@acme/other/svc.checks.json'],
    ['a file of a package', '@acme/policy/strict.json', '@acme/policy/strict.json'],
  ])('takes %s', async (_, target, file) => {
    const { code, policy } = await run(['strong'], {
      'svc.checks.json': { extends: target },
      'node_modules/@acme/policy/package.json': { name: '@acme/policy', main: 'strict.json' },
      'node_modules/@acme/policy/strict.json': { failOn: 'strong' },
      'node_modules/@acme/other/svc.checks.json': { failOn: 'strong' },
    })
    expect([code, policy.failOn], file).toEqual([100, 'strong'])
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a file that is missing',
      { 'svc.checks.json': '{\n  "extends": "./none.json" }' },
      'svc.checks.json:2:14 /extends names "./none.json", and there is no such file',
    ],
    [
      'a package that is missing',
      { 'svc.checks.json': { extends: 'none.json' } },
      'svc.checks.json:1:12 /extends names "none.json", and there is no such package\nhint: install the package; the path of a file begins with ./ or ../',
    ],
    ['a module of Node', { 'svc.checks.json': { extends: 'fs' } }, 'there is no such package'],
    ['itself', { 'svc.checks.json': { extends: './svc.checks.json' } }, '/extends leads back to'],
    [
      'a file that extends it',
      { 'svc.checks.json': { extends: './a.json' }, 'a.json': { extends: './b/../svc.checks.json' } },
      'a.json:1:12 /extends leads back to',
    ],
    [
      'a folder',
      { 'svc.checks.json': { extends: './conversations' } },
      'conversations: cannot read the policy (EISDIR)',
    ],
    [
      'a file that is wrong',
      { 'svc.checks.json': { extends: './a.json', failOn: 'poor' }, 'a.json': { failOn: 'por' } },
      'a.json:1:11 /failOn expected one of strong',
    ],
    [
      'a file that contradicts it',
      { 'svc.checks.json': { extends: './a.json', required: ['loop'] }, 'a.json': { forbidden: ['loop'] } },
      'svc.checks.json:1:35 /required/0 the signal "loop" is required and forbidden',
    ],
    ['a number', { 'svc.checks.json': { extends: 1 } }, '/extends expected the path of a policy'],
  ])('is refused where it extends %s', async (_, files, said) => {
    const { code, err, asked } = await run(['strong'], files)
    expect([code, asked, err]).toEqual([3, [], expect.stringContaining(said)])
  })

  it('may share keys with it that belong together', async () => {
    const files = {
      'svc.checks.json': { extends: './a.json', confidence: 0.6 },
      'a.json': { rates: [{ outcome: 'poor', max: '50%' }] },
    }
    expect((await run(['strong', 'strong'], files)).policy).toMatchObject({ confidence: 0.6 })
  })
})

const rules = (name: string, text: string) => `export default { failOn: 'none', rules: { ${name}: () => '${text}' } }`

describe('a policy that extends a program', () => {
  const files = { 'svc.checks.json': { extends: './team.ts', attempts: 1 }, 'team.ts': rules('team', 'never good') }

  it('runs it only if the policy is trusted, and asks again when the program changes', async () => {
    const shell = scriptedShell()
    const check = (more: object = {}) => shell.check(['strong'], [], { env, files: { ...more } })
    const refused = await check(files)
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('svc.checks.json is a program, but is not trusted'),
    ])
    const trusted = await shell.svc(['config', 'trust', '--yes'], { env })
    expect([trusted.code, trusted.out]).toEqual([0, expect.stringContaining('team.ts')])
    expect((await check()).code).toBe(100)
    const changed = await check({ 'team.ts': rules('team', 'changed') })
    expect([changed.code, changed.err]).toEqual([3, expect.stringContaining('has changed since it was trusted')])
  })

  it('keeps its rules, and may replace one by name', async () => {
    const own = `export default { extends: './team.ts', rules: { own: () => 'mine', team: () => [] } }`
    const { code, out, policy } = await run(['strong'], { 'p.ts': own, 'team.ts': files['team.ts'] }, [
      '--policy',
      'p.ts',
    ])
    expect([code, out]).toEqual([100, expect.stringContaining('the rule own is broken')])
    expect([policy.custom.rules, policy.failOn]).toEqual([['team', 'own'], 'none'])
    expect(out).not.toContain('never good')
  })

  it.each([
    ["['./base.json']", 'p.ts /extends expected the path of a policy, or the name of a package, found a list'],
    ['7', 'p.ts /extends expected the path of a policy, or the name of a package, found 7'],
    [
      "Promise.resolve('./base.json')",
      'p.ts: the policy cannot be used: /extends expected plain data as in JSON, found a',
    ],
  ])('is refused where it extends %s, as in JSON', async (target, said) => {
    const policy = { 'p.ts': `export default { extends: ${target} }`, 'base.json': { failOn: 'strong' } }
    const { code, err, asked } = await run(['strong'], policy, ['--policy', 'p.ts'])
    expect([code, asked, err]).toEqual([3, [], expect.stringContaining(said)])
  })

  it('names the place in a program that extends what is missing', async () => {
    const { code, err } = await run(['strong'], { 'p.ts': `export default { extends: './none.json' }` }, [
      '--policy',
      'p.ts',
    ])
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('p.ts /extends names "./none.json", and there is no such file'),
    ])
  })
})
