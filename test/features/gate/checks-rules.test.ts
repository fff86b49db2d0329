import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CheckOptions, check, readPolicy, rulesFrom } from '@svc/checks'
import { afterAll, describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-checks-rules-'))
afterAll(() => rmSync(folder, { recursive: true }))

const transcripts = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    path: `${at}.json`,
    transcript: conversation('strong').map(({ role, content }) => ({ role: role as 'user', content })),
  }))

function checked(policy: CheckOptions['policy'], { count = 1, clock = true } = {}) {
  const shell = scriptedShell()
  const client = shell.client({ fetch: shell.fetch })
  const options = { client, annotator: 'structural', policy, transcripts: transcripts(count), concurrency: 1 }
  return clock ? shell.clock.until(check({ ...options, clock: shell.clock })) : shell.clock.until(check(options))
}

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('the rules of a program', () => {
  it('have a time limit, and are not run any more after three failures', async () => {
    let calls = 0
    const silent = () => {
      calls++
      return new Promise<string>(() => {})
    }
    const { verdict, cases } = await checked({ ruleTimeout: '5s', rules: { silent } }, { count: 5 })
    expect([verdict, calls]).toEqual(['not judged', 3])
    expect(cases.map(({ gap }) => gap?.detail)).toEqual([
      ...Array(3).fill('silent: does not end within 5 s'),
      ...Array(2).fill('silent: is not run any more after 3 failures'),
    ])
  })

  it('refuse a policy that extends another, which only a file may', async () => {
    await expect(checked({ extends: './base.json' })).rejects.toMatchObject({
      ...{ code: 'invalid_policy', details: ['/extends works only in a policy file'] },
    })
  })
})

describe('the rules of a file', () => {
  it('run in a thread that cannot end the program', async () => {
    const rules = await rulesFrom(
      file('rules.mjs', 'export default { rules: { ends: () => process.exit(0), fine: () => [] } }'),
      { trusted: true },
    )
    const { verdict, report, cases } = await checked({ rules }, { clock: false })
    expect([verdict, report.exit, cases[0]?.gap]).toEqual([
      ...['not judged', 101],
      {
        why: 'rule failed',
        temporary: false,
        detail: expect.stringMatching(/^ends: ends its thread, as with process\.exit/),
      },
    ])
  })

  it('leave every transcript not judged after an error that belongs to none', async () => {
    const late = 'export default { rules: { late: () => { setImmediate(() => { throw new Error("late") }) } } }'
    const policy = await readPolicy(file('late.mjs', late), { trusted: true })
    const { verdict, report } = await checked(policy, { clock: false })
    expect([verdict, report.exit, report.error]).toMatchObject([
      ...['not judged', 101],
      { kind: 'policy_failed', details: [expect.stringContaining('Error: late')] },
    ])
    expect(await policy.close()).toBe(true)
  })

  it('are not run, and neither are those of an extended file, before a program says that it trusts them', async () => {
    const base = file('base.mjs', 'throw new Error("ran")')
    const json = file('extends.json', '{ "extends": "./base.mjs" }')
    for (const path of [base, json]) await expect(readPolicy(path)).rejects.toMatchObject({ code: 'untrusted_policy' })
    await expect(readPolicy(json, { trusted: true })).rejects.toMatchObject({ details: ['Error: ran'] })
  })
})
