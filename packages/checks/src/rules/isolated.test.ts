import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { isolate } from './isolated.js'

// A thread is slow on a machine that does much else.
vi.setConfig({ testTimeout: 300_000 })

const folder = mkdtempSync(join(tmpdir(), 'svc-isolated-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const place = (text: string, name = 'policy.mjs'): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const checked = { annotation: {}, transcript: {} } as never

it.each([
  ['loops', 300, 'for (;;) {}', /^while it is loaded, it does not end within 300 ms$/],
  ['never settles', 300, 'await new Promise(() => {})', /^while it is loaded, /],
  ['throws', 300_000, `throw new Error('at load')`, /at load/],
  ['ends the process', 300_000, 'process.exit(0)', /^while it is loaded, it ends its thread/],
])('reports a policy that %s while it is loaded', async (_, loadMs, text, reason) => {
  await expect(isolate(place(text), 'policy.mjs', { loadMs })).rejects.toMatchObject({
    code: expect.stringMatching(/^(policy_failed|invalid_policy)$/),
    message: expect.stringContaining('policy.mjs: '),
    details: expect.arrayContaining([expect.stringMatching(reason)]),
  })
})

it.each([
  [
    'policy.ts',
    'a promise',
    'export default { rules: (async () => ({ r: () => "bad" }))() }',
    '/rules expected plain data',
  ],
  ['policy.mjs', 'a class', 'export default new (class { get failOn() { return "strong" } })()', 'expected plain data'],
  ['policy.js', 'a Map', 'module.exports = new Map([["failOn", "strong"]])', 'expected plain data'],
  ['policy.js', 'not exported', 'const failOn = "strong"', 'exports nothing'],
  [
    'policy.ts',
    'partly exported',
    'export const rules = {}; export default { attempts: 1 }',
    '/rules is exported beside',
  ],
])('refuses the policy of %s that is %s', async (name, _, text, said) => {
  await expect(isolate(place(text, name), name, { loadMs: 300_000 })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(`${name}: the policy cannot be used: ${said}`),
  })
})

it('does not run a rule any more after three failures, and runs the others', async () => {
  const text = `let n = 0\nexport default { rules: { ends: () => process.exit(0), counts: () => String(++n) } }`
  const policy = await isolate(place(text), 'policy.mjs', { loadMs: 300_000 })
  const [ends, counts] = ['ends', 'counts'].map((name) => policy.rule(name, 300_000))
  const reasons: string[] = []
  for (let n = 0; n < 5; n++)
    reasons.push(await Promise.resolve(ends?.(checked)).then(String, ({ message }) => message))
  const ended = expect.stringContaining('ends its thread, as with process.exit')
  const dropped = 'is not run any more after 3 failures'
  expect(reasons).toEqual([ended, ended, ended, dropped, dropped])
  expect([await counts?.(checked), await counts?.(checked)]).toEqual(['1', '2'])
  await policy.verify()
  expect(await policy.close()).toBe(true)
})

it('runs one call after the other', async () => {
  const text = `let open = 0\nexport default { rules: { r: async () => { open++; await null; return String(open--) } } }`
  const policy = await isolate(place(text), 'policy.mjs', { loadMs: 300_000 })
  const rule = policy.rule('r', 300_000)
  expect(await Promise.all([rule(checked), rule(checked), rule(checked)])).toEqual(['1', '1', '1'])
  await policy.close()
})

/** A call whose thread fails once it has answered: the failure may arrive first, as they take different ways. */
const ended = (call: unknown) => Promise.resolve(call).catch(() => {})

it.each(['setImmediate', 'setTimeout'])(
  'fails every rule after an error that belongs to none, in %s',
  async (timer) => {
    const text = `export default { rules: { r: () => { ${timer}(() => { throw new Error('late') }) } } }`
    const policy = await isolate(place(text), 'policy.mjs', { loadMs: 300_000 })
    const rule = policy.rule('r', 300_000)
    await ended(rule(checked))
    await expect(policy.verify()).rejects.toMatchObject({
      code: 'policy_failed',
      details: [expect.stringContaining('late')],
    })
    await expect(rule(checked)).rejects.toMatchObject({ code: 'policy_failed' })
  },
)

const late = 'export default { rules: { r: () => { Promise.reject(new Error("late")) } } }'
it.each([
  ['whatever NODE_OPTIONS says of rejections', '--unhandled-rejections=none', ''],
  ['if it has a handler of its own for rejections', '', 'process.on("unhandledRejection", () => {})'],
  ['if it has a handler of its own for errors', '', 'process.on("uncaughtException", () => {})'],
])('fails every rule after a rejection that nothing handles, %s', async (_, options, first) => {
  vi.stubEnv('NODE_OPTIONS', options)
  const policy = await isolate(place(`${first}\n${late}`), 'policy.mjs', { loadMs: 300_000 })
  await ended(policy.rule('r', 300_000)(checked))
  await expect(policy.verify()).rejects.toMatchObject({
    code: 'policy_failed',
    details: ['it throws an error that nothing catches: Error: late'],
  })
})

it('loads no code that NODE_OPTIONS names', async () => {
  vi.stubEnv('NODE_OPTIONS', `--require ${place('globalThis.wasLoaded = true', 'first.cjs')}`)
  const text = 'export default { rules: { r: () => [globalThis.wasLoaded, process.env.NODE_OPTIONS].join() } }'
  const policy = await isolate(place(text), 'policy.mjs', { loadMs: 300_000 })
  expect(await policy.rule('r', 300_000)(checked)).toBe(',')
  await policy.close()
})
