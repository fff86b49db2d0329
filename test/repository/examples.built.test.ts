import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { mockServiceOfCalls } from '../helpers/mock-service.js'
import { writeGuideFiles } from './guide-files.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const at = (path: string) => join(root, path)
const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls('--control')
})
afterAll(() => service.close())

/** Runs a command beside a service that nobody has used, from the root of the repository or from a folder that is one's own. */
async function inMock(cwd: string, ...command: string[]) {
  const { SVC_CONTROL_URL, SVC_CONTROL_TOKEN } = service.env
  const headers = { authorization: `Bearer ${SVC_CONTROL_TOKEN}` }
  expect(await fetch(`${SVC_CONTROL_URL}/reset`, { method: 'POST', headers })).toMatchObject({ ok: true })
  const home = cwd === root ? mkdtempSync(join(folder, 'home-')) : cwd
  const own = ['state', 'cache', 'config'].map((name) => join(home, `.svc-${name}`))
  const [SVC_STATE_DIR = '', SVC_CACHE_DIR = '', SVC_CONFIG = ''] = own
  return service.run(command, cwd, { HOME: home, SVC_STATE_DIR, SVC_CACHE_DIR, SVC_CONFIG })
}

const typescript = (path: string) => inMock(root, process.execPath, '--import', import.meta.resolve('tsx'), at(path))

/** The fenced blocks of a language in a document. */
const blocks = (path: string, language: string) => blocksOf(readFileSync(at(path), 'utf8'), language)

describe('the examples', () => {
  it('demo.mjs shows project, upload, annotation, and the line of a signal’s turn', () => {
    const { status, stdout } = spawnSync(process.execPath, [at('examples/demo.mjs')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^hp-/m)
    expect(stdout).toMatch(/^tr_\S+ +transcript +8 +queued/m)
    const [, turn, line] = /turn (\d+) .*examples\/transcript\.json:(\d+):/.exec(stdout) ?? []
    const evidence = /“(.*)”/.exec(stdout)?.[1] ?? 'none'
    expect(readFileSync(at('examples/transcript.json'), 'utf8').split('\n')[Number(line) - 1]).toContain(evidence)
    expect(stdout.split('\n').find((shown) => new RegExp(`^${turn}  `).test(shown))).toContain(evidence)
  })

  it('upload.ts uploads and annotates', async () => {
    expect(await typescript('examples/upload.ts')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^tr_\S+ queued\nstrong /),
    })
  })

  it('every-transcript.ts walks what there is', async () => {
    expect(await typescript('examples/every-transcript.ts')).toEqual({ code: 0, err: '', out: 'Mock project\n' })
  })

  it('bulk-upload.mjs uploads everything once, although it is killed in the middle', async () => {
    // Ends the program when it has uploaded three, as a machine that goes down does.
    const killing = join(folder, 'kill.cjs')
    const text = `
      const child = require('node:child_process').spawn(process.execPath, [process.argv[2]])
      let out = ''
      child.stdout.on('data', (data) => (out += data).split('\\n').length > 3 && child.kill('SIGKILL'))
      child.on('close', (code, signal) => console.log(signal))`
    writeFileSync(killing, text)
    const program = at('examples/bulk-upload.mjs')
    const script = 'node "$0" "$1" && node "$1" | tail -n 1 && svc transcripts list --all --fields external_id'
    const { code, out, err } = await inMock(root, 'sh', '-e', '-c', script, killing, program)
    expect([code, err]).toEqual([0, ''])
    const [signal, summary = '', ...rows] = out.trim().split('\n')
    const [uploaded = 0, stored = 0] = [...summary.matchAll(/\d+/g)].map(Number)
    expect([signal, uploaded + stored, stored >= 3]).toEqual(['SIGKILL', 40, true])
    const ids = rows.join().match(/order-\d+/g) ?? []
    expect([ids.length, new Set(ids).size]).toEqual([40, 40])
  })

  it('errors.ts uploads, and prints why the service refused another project', async () => {
    expect((await typescript('examples/errors.ts')).out).toMatch(/^stored: tr_/)
    const argv = [process.execPath, '--import', import.meta.resolve('tsx'), at('examples/errors.ts')]
    const other = await inMock(root, 'env', 'SVC_PROJECT=hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10', ...argv)
    expect(other.out).toMatch(/^the service refused: not_found /)
  })
})

it.each([
  ['README.md', 0, 'examples/upload.ts'],
  ['docs/guides/quick-start.md', 0, 'examples/upload.ts'],
  ['docs/guides/testing.md', 0, 'examples/test-your-app.test.ts'],
  ['docs/guides/testing.md', 1, 'examples/test-time.test.ts'],
  ['packages/reference-server/README.md', 1, 'examples/test-what-was-sent.test.ts'],
  ['packages/reference-server/README.md', 3, 'examples/test-snapshot.test.ts'],
  ['packages/client/README.md', 0, 'examples/errors.ts'],
])('%s shows as program %i a part of %s', (page, position, example) => {
  const program = blocks(page, 'ts')[position] ?? ''
  expect(program).not.toBe('')
  expect(readFileSync(at(example), 'utf8')).toContain(program.trim())
})

describe.each(['README.md', 'docs/guides/testing.md', 'packages/cli/README.md'])('%s', (page) => {
  it.each(blocks(page, 'sh').map((script) => ({ script })))(
    'shows a shell session that runs: $script',
    async ({ script }) => {
      const cwd = mkdtempSync(join(folder, 'clone-'))
      symlinkSync(at('examples'), join(cwd, 'examples'))
      const { code, err } = await inMock(cwd, 'sh', '-e', '-c', script)
      expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    },
  )
})

it('README.md shows a session with the output that it has', async () => {
  const [session = ''] = blocks('README.md', 'console').filter((block) => block.startsWith('$ '))
  const commands = [...session.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command)
  const script = commands.map((command) => `echo '$ ${command}'; (exit $code)\n${command}\ncode=$?`).join('\n')
  expect((await inMock(root, 'sh', '-c', `exec 2>&1; code=0\n${script}`)).out).toBe(session)
})

it('docs/guides/quick-start.md shows a shell session that runs in an empty folder', async () => {
  const [script = ''] = blocks('docs/guides/quick-start.md', 'sh')
  const { code, out, err } = await inMock(mkdtempSync(join(folder, 'quick-start-')), 'sh', '-e', '-c', script)
  expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
  expect(out).toContain('Order 7')
})

describe('docs/guides/importing.md', () => {
  const [files = '', ...scripts] = blocks('docs/guides/importing.md', 'sh')

  it('shows more than a few shell sessions', () => {
    expect(scripts.length).toBeGreaterThan(5)
  })

  it.each(scripts.map((script) => ({ script })))('shows a shell session that runs: $script', async ({ script }) => {
    const cwd = mkdtempSync(join(folder, 'guide-'))
    writeGuideFiles(cwd)
    const { code, out, err } = await inMock(cwd, 'sh', '-e', '-c', `${files}${script}`)
    expect([code, err.split('\n').filter((line) => line.startsWith('svc:'))]).toEqual([0, []])
    expect(out).not.toBe('')
  })
})

/** Runs a program as `program.mjs` in a folder that resolves what a package depends on, beside the files of the guides. */
async function runModule(program: string, name: string) {
  const cache = at(`packages/${name}/node_modules/.cache`)
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(join(cache, 'program-'))
  try {
    writeGuideFiles(own)
    writeFileSync(join(own, 'program.mjs'), program)
    return await inMock(own, process.execPath, 'program.mjs')
  } finally {
    rmSync(own, { recursive: true })
  }
}

/** Runs a TypeScript program of a page, with what a package depends on. */
function runProgram(program: string, name = 'client') {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  return runModule(ts.transpileModule(program, { compilerOptions }).outputText, name)
}

it.each([
  ['README.md', 'ts', 'client'],
  ['docs/guides/quick-start.md', 'ts', 'client'],
  ['packages/client/README.md', 'ts', 'client'],
  ['packages/client/skills/svc/SKILL.md', 'ts', 'client'],
  ['packages/checks/README.md', 'ts', 'checks'],
  ['packages/bulk/README.md', 'js', 'bulk'],
])('the first program of %s runs as it stands, as program.mjs', async (page, language, name) => {
  const [program = ''] = blocks(page, language)
  const { code, out, err } = await runModule(program, name)
  expect([code, err]).toEqual([0, ''])
  expect(out).not.toBe('')
})

it.each(blocks('docs/guides/cookbook.md', 'ts').map((program) => ({ program })))(
  'docs/guides/cookbook.md shows a program that runs: $program',
  async ({ program }) => {
    const { code, out, err } = await runProgram(program, 'checks')
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toBe('')
  },
)

it('docs/guides/from-fetch.md shows two programs that print the same', async () => {
  const [before, after] = blocks('docs/guides/from-fetch.md', 'ts')
  const printed = await runProgram(before ?? '')
  expect(printed).toEqual({ code: 0, err: '', out: 'queued 1\n' })
  expect(await runProgram(after ?? '')).toEqual(printed)
})

describe.each(['packages/transcripts/README.md', 'packages/reference-server/README.md'])('%s', (page) => {
  const programs = blocks(page, 'js')

  it('shows programs', () => {
    expect(programs.length).toBeGreaterThan(1)
  })

  it.each(programs.map((program) => ({ program })))(
    'shows a program that prints what stands in its comments: $program',
    ({ program }) => {
      const shown = [...program.matchAll(/^ *\/\/ (.*)$/gm)].map(([, line]) => line).join('\n')
      const argv = ['--input-type=module', '-e', program]
      const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' })
      expect([stdout.trim(), stderr]).toEqual([shown, ''])
    },
  )
})
