import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const conversation = [{ role: 'user', content: 'Hello?' }]
const check = ['check', 'a.json', '--annotator', 'structural', '--no-cache', '--no-policy']

/** Makes what no reader of a small file may read. */
const makers: [what: string, make: (path: string) => void, why: string][] = [
  ['a device', (path) => symlinkSync('/dev/zero', path), 'it is a device or a pipe, not a file'],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'it is a device or a pipe, not a file'],
  ['a directory', (path) => mkdirSync(path), 'EISDIR'],
  ['a file over 1 MiB', (path) => writeFileSync(path, ' '.repeat(2 ** 20 + 1)), 'it is larger than 1 MiB'],
]

const readers: [what: string, file: string, argv: string[]][] = [
  ['the settings of the project', 'svc.config.json', ['health']],
  ['the settings of --config', 'own.json', ['health', '--config', 'own.json']],
  ['settings that are changed', 'own.json', ['config', 'set', 'baseUrl', 'https://a.test', '--config', 'own.json']],
  ['a project file to trust', 'svc.config.json', ['config', 'trust', 'svc.config.json', '--yes']],
  ['a policy to trust', 'own.json', ['config', 'trust', 'own.json', '--yes']],
  ['a discovered policy', 'svc.checks.json', ['check', 'a.json', '--annotator', 'structural']],
  ['a discovered policy in code', 'svc.checks.ts', ['check', 'a.json', '--annotator', 'structural']],
  ['a named policy', 'own.json', ['check', 'a.json', '--annotator', 'structural', '--policy', 'own.json']],
]

describe.each(makers)('%s', (what, make, why) => {
  it.each(readers)('is not read as %s', async (_, file, argv) => {
    const { svc, cwd } = createShell()
    make(join(cwd, file))
    const { code, err } = await svc(argv, { env: { SVC_CONFIG: 'user.json' }, files: { 'a.json': conversation } })
    expect([code, err]).toEqual([3, expect.stringContaining(`${file}: cannot read`)])
    const isFoundLink = what === 'a device' && file.startsWith('svc.checks')
    expect(err).toContain(isFoundLink ? 'it is a link to a file outside' : `(${why})`)
    rmSync(join(cwd, file), { recursive: true })
  })

  it.runIf(what !== 'a file over 1 MiB')(`${what} is not read as a baseline`, async () => {
    const { svc, cwd } = createShell()
    make(join(cwd, 'baseline.json'))
    const { code, err } = await svc([...check, '--baseline', 'baseline.json'], { files: { 'a.json': conversation } })
    expect([code, err]).toEqual([3, expect.stringContaining(`baseline.json: cannot read the baseline (${why}).`)])
  })

  // A shell gives the output of a command as a pipe.
  it.runIf(what !== 'a pipe')(`${what} is not read as request options`, async () => {
    const { svc, cwd } = createShell()
    make(join(cwd, 'options.json'))
    const { code, err } = await svc([...check, '--options', 'options.json'], { files: { 'a.json': conversation } })
    const reason = what === 'a device' ? 'it is larger than 1 MiB' : why
    expect([code, err]).toEqual([
      3,
      expect.stringContaining(`options.json: the options file cannot be read (${reason}).`),
    ])
  })
})
