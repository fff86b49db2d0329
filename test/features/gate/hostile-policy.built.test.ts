import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../../helpers/long.js'
import { mockService } from '../../helpers/mock-service.js'
import { bin } from '../../helpers/own-service.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

// On the build: the thread of a policy is a file of the package.
let service: Awaited<ReturnType<typeof mockService>>
beforeAll(async () => {
  service = await mockService()
})
afterAll(() => service.close())

const base = `annotator: 'structural', failOn: 'none'`
const rule = (body: string) => `export default { ${base}, rules: { r: ${body} } }`
const earlier = '{"schema":"svc/check@1","verdict":"passed","exit":0}\n'
let folders = 0

/** A folder with transcripts that pass, a report of an earlier run that passed, and a policy. */
function place(policy: string, files: Record<string, string> = {}, transcripts = 1): string {
  const cwd = service.workplace(`policy-${folders++}`, transcripts)
  for (const [name, text] of Object.entries({ 'svc.checks.ts': policy, 'r.json': earlier, ...files }))
    writeFileSync(join(cwd, name), text)
  return cwd
}

const check = ['check', 'transcripts', '--report', 'json=r.json', '--report', 'junit=r.xml']
const run = (cwd: string, ...more: string[]) => service.run([process.execPath, bin, ...check, ...more], cwd)
const reportIn = (cwd: string) => JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))

const late = (body: string) => `setTimeout(() => { ${body} }, 1)\nexport default { ${base} }`
const inspected = `import { Session } from 'node:inspector'
const session = new Session()
session.connectToMainThread()
session.post('Runtime.evaluate', { expression: 'process.exit(0)' })
await new Promise((done) => setTimeout(done, 500))
export default { ${base} }`
const forged = `import { parentPort } from 'node:worker_threads'
const { dispatchEvent } = EventTarget.prototype
EventTarget.prototype.dispatchEvent = function (event) {
  for (let id = 0; id < 9; id++) this.postMessage?.({ nonce: '', id, returned: [] })
  return dispatchEvent.call(this, event)
}
parentPort.postMessage({ nonce: '', id: 1, returned: [] })
${rule(`() => { throw new Error('no') }`)}`

/** Each is the body of a rule, with the reason that the report gives: one thread runs the next rule, or another is started. */
const attacks: [name: string, body: string, reason: string][] = [
  ['rejects', 'async () => { throw new Error("no") }', 'Error: no'],
  ['textless', '() => { throw Object.create(null) }', 'threw a value without a text'],
  ['aborts', '() => process.abort()', 'TypeError: process.abort() is not supported'],
  ['exits', '() => process.exit(0)', 'ends its thread'],
  ['exitsLate', 'async () => { await null; process.exit(0) }', 'ends its thread'],
  ['waits', '() => new Promise(() => {})', 'ends its thread'],
  ['thenable', '() => ({ then() {} })', 'ends its thread'],
]

const endings: [title: string, policy: string][] = [
  ['ends the process in an import', 'import "./tool.ts"\nexport default {}'],
  ['ends the process later', late('process.exit(0)')],
  ['loops in a rule', `export default { ${base}, ruleTimeout: '500ms', rules: { r: () => { for (;;) {} } } }`],
  ['needs more memory than there is', rule('() => { const a = []; for (;;) a.push(Array(1e6).fill(1)) }')],
  ['forges answers', forged],
  ['reaches for the thread that decides', inspected],
  ['ends the process by an internal call', `process.reallyExit(0)\nexport default { ${base} }`],
  [
    'sets the exit code and waits for ever',
    `process.exitCode = 0\nawait new Promise(() => {})\nexport default { ${base} }`,
  ],
  ['ends the process after a rule', rule('() => { setImmediate(() => process.exit(0)) }')],
  ['throws later', late('throw new Error("late")')],
  ['rejects after a rule', rule('() => { Promise.reject(new Error("late")) }')],
  [
    'replaces globals',
    `Array.prototype.map = () => []\nJSON.stringify = () => '{}'\n${rule(`() => { throw new Error('no') }`)}`,
  ],
  [
    'starts a thread of its own',
    `import { Worker } from 'node:worker_threads'\nnew Worker('', { eval: true })\n${rule('() => []')}`,
  ],
]

describe('code of a policy', () => {
  it('fails in rules, and the check cannot judge any transcript that they fail for', async () => {
    const rules = attacks.map(
      ([name, body], n) =>
        `${name}: ({ transcript }) => (transcript.turns[0].content.includes('conversation ${n}.') ? (${body})() : [])`,
    )
    const cwd = place(`export default { ${base}, rules: { ${rules.join(', ')} } }`, {}, attacks.length + 1)
    const { code, err } = await run(cwd, '--policy', 'svc.checks.ts')
    const { verdict, exit, cases } = reportIn(cwd)
    expect([code, verdict, exit], err).toEqual([101, 'not judged', 101])
    const gaps = attacks.map(([name, , reason]) => ({
      why: 'rule failed',
      detail: expect.stringContaining(`${name}: ${reason}`),
    }))
    expect(cases.flatMap(({ gap }: { gap?: unknown }) => gap ?? [])).toMatchObject(gaps)
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('<error')
  })

  it('removes a rule, which is asked all the same', async () => {
    const rules = `const rules = { r: () => { delete rules.s }, s: () => 'still asked' }`
    const cwd = place(`${rules}\nexport default { ${base}, rules }`)
    const { code, err } = await run(cwd, '--policy', 'svc.checks.ts')
    const { verdict, cases } = reportIn(cwd)
    expect([code, verdict], err).toEqual([100, 'failed'])
    expect(JSON.stringify(cases)).toContain('still asked')
  })

  it.each(casesOf(endings, 7))('%s, and the check cannot judge', async (_, policy) => {
    const cwd = place(policy, { 'tool.ts': 'async function main() { process.exit(0) }\nvoid main()\n' })
    const { code, err } = await run(cwd, '--policy', 'svc.checks.ts')
    const report = reportIn(cwd)
    expect([code, report.verdict, report.exit], err).toEqual([code === 3 ? 3 : 101, 'not judged', code])
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('<error')
  })

  it.each(casesOf(['SIGKILL', 'SIGTERM', 'SIGUSR1']))(
    'sends %s to the process, and no earlier report stays',
    async (signal) => {
      const policy = `process.kill(process.pid, '${signal}')\nawait new Promise((done) => setTimeout(done, 500))\nprocess.exit(0)`
      const cwd = place(policy)
      const { code } = await run(cwd, '--policy', 'svc.checks.ts')
      expect([code, reportIn(cwd).verdict]).toEqual([{ SIGTERM: 143, SIGUSR1: 101 }[signal] ?? null, 'not judged'])
    },
  )

  it('closes standard output, and the check does not pass', async () => {
    const cwd = place(`import { closeSync } from 'node:fs'\n${rule('() => closeSync(1)')}`)
    expect((await run(cwd, '--policy', 'svc.checks.ts')).code).not.toBe(0)
  })

  it('writes to standard output, and it goes to standard error', async () => {
    const cwd = place(rule(`() => { console.log('from the rule'); process.stdout.write('and this') }`))
    const { code, out, err } = await run(cwd, '--policy', 'svc.checks.ts')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^judged: .*\npassed: no transcript breaks a rule \(1 judged\)\n$/),
    ])
    expect(err).toMatch(/from the rule\nand this/)
  })

  it('is blocked by a call of the system, and the check ends', async () => {
    const rules = `r: () => execFileSync('sleep', ['20'])`
    const cwd = place(
      `import { execFileSync } from 'node:child_process'\nexport default { ${base}, ruleTimeout: '300ms', rules: { ${rules} } }`,
    )
    const { code } = await run(cwd, '--policy', 'svc.checks.ts')
    expect([code, reportIn(cwd).verdict]).toEqual([null, 'not judged'])
  })

  it('ends by itself after it is trusted, and the check cannot judge', async () => {
    const shell = scriptedShell()
    const env = { SVC_CONFIG: 'c.json' }
    writeFileSync(join(shell.cwd, 'svc.checks.ts'), rule('() => process.exit(0)'))
    await shell.svc(['config', 'trust', '--yes'], { env })
    const { code, err } = await shell.check(['strong'], [], { env })
    expect([code, err]).toEqual([101, expect.stringContaining('using the policy')])
  })

  it('loops in a rule, and SIGINT ends the command', async () => {
    const started = `import { writeFileSync } from 'node:fs'\n${rule(`() => { writeFileSync('started', ''); for (;;) {} }`)}`
    const cwd = place(started)
    const child = spawn(process.execPath, [bin, ...check, '--policy', 'svc.checks.ts'], { cwd, env: service.env })
    const ended = new Promise((resolve) => child.on('close', resolve))
    const seen = setInterval(() => existsSync(join(cwd, 'started')) && child.kill('SIGINT'), 20)
    expect(await ended).toBe(130)
    clearInterval(seen)
    expect(reportIn(cwd).verdict).toBe('not judged')
  })
})

describe('code of an importer', () => {
  const importer = `export default { id: 'x', title: 'X', accepts: '{ "x" }', signature: { 'turns[]': 1 }, messages: 'turns'`
  const endings = [
    ['ends the process while it reads', `${importer}, text: () => process.exit(0) }`],
    ['ends the process while it is loaded', `process.exit(0)\n${importer} }`],
    ['ends the process later', `setTimeout(() => process.exit(0), 1)\n${importer} }`],
  ] as const
  it.each(casesOf(endings))('%s, and the check does not pass', async (_, program) => {
    // Without code of a policy, which takes longer to load than the command.
    const cwd = place('', { 'my-format.mjs': program })
    const { code } = await run(cwd, '--no-policy', '--annotator', 'structural', '--importer', './my-format.mjs')
    expect([code, reportIn(cwd).verdict]).toEqual([1, 'not judged'])
  })
})
