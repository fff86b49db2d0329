import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { githubParser } from './cli/github-parser.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const packages = readdirSync(join(root, 'packages'))
const manifestOf = (name: string) => JSON.parse(read(`packages/${name}/package.json`))
const published = packages.filter((name) => !manifestOf(name).private)
const copies: string[] = []
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true })
})

/** What a release reads and writes of the repository, in a folder of its own. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
  copies.push(folder)
  for (const path of ['package.json', 'pnpm-workspace.yaml', '.changeset', '.github']) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const name of packages) {
    mkdirSync(join(folder, 'packages', name), { recursive: true })
    for (const file of ['package.json', 'README.md'])
      cpSync(join(root, 'packages', name, file), join(folder, 'packages', name, file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const run = (folder: string, command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: folder, encoding: 'utf8' })

describe('a release', () => {
  it('is refused while the address of the project is a placeholder', () => {
    const folder = copy()
    const { status, stderr } = run(folder, 'node', '.github/release.mjs', 'check')
    expect(status).toBe(1)
    expect(stderr.split('\n').map((line) => line.split(':')[1])).toEqual([
      ...[' author is a placeholder', ' homepage is a placeholder', ' bugs is a placeholder'],
      ...[' repository is a placeholder', undefined, undefined],
    ])
  })

  it('goes on once the root names real addresses, which every package and its README then repeat', () => {
    const folder = copy()
    const path = join(folder, 'package.json')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('svc.invalid', 'svc.example'))
    run(folder, 'node', '.github/release.mjs', 'sync')
    expect(run(folder, 'node', '.github/release.mjs', 'check').status).toBe(0)
    for (const name of packages) {
      const { homepage, repository } = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'))
      expect([homepage, repository.directory]).toEqual(['https://svc.example/docs', `packages/${name}`])
      expect(readFileSync(join(folder, 'packages', name, 'README.md'), 'utf8')).not.toContain('svc.invalid')
    }
  })

  it('gives every published package one version, and a changelog of what the changesets say', () => {
    const folder = copy()
    const { status, stderr } = run(folder, join(root, 'node_modules/.bin/changeset'), 'version')
    expect(stderr).not.toMatch(/error/i)
    expect(status).toBe(0)
    const versions = published.map(
      (name) => JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8')).version,
    )
    expect(new Set(versions).size).toBe(1)
    if (readdirSync(join(root, '.changeset')).some((name) => name.endsWith('.md'))) {
      expect(versions[0]).not.toBe(JSON.parse(read('packages/cli/package.json')).version)
      expect(readFileSync(join(folder, 'packages/cli/CHANGELOG.md'), 'utf8')).toContain(`## ${versions[0]}`)
    }
  })
})

describe('the manifest of', () => {
  const { author, homepage, bugs, repository } = JSON.parse(read('package.json'))
  it.each(packages)('@svc/%s repeats the addresses of the root', (name) => {
    const own = manifestOf(name)
    expect({ ...own, author, homepage, bugs, repository: { ...repository, directory: `packages/${name}` } }).toEqual(
      own,
    )
    if (published.includes(name)) expect(own.keywords.length).toBeGreaterThan(3)
  })
})

describe('a workflow of this repository', () => {
  const folder = join(root, '.github/workflows')
  const workflows = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)

  it.each(workflows)(
    '%s is accepted by GitHub’s own parser, and names no permission to write for all its jobs',
    async (_, text) => {
      const { complaints } = await githubParser()
      expect(await complaints(text)).toEqual([])
      expect(parse(text).permissions).toEqual({ contents: 'read' })
    },
  )

  it.each(workflows)('%s runs scripts and programs that exist', (_, text) => {
    const { scripts } = JSON.parse(read('package.json'))
    const steps: { run?: string; with?: Record<string, string> }[] = Object.values<{ steps: [] }>(
      parse(text).jobs,
    ).flatMap((job) => job.steps)
    for (const line of steps.flatMap((step) => [step.run, step.with?.version, step.with?.publish]).filter(Boolean)) {
      const [, program = '', argument = ''] =
        /^(?:npx --yes pnpm@12 (?:run |exec )?|)(\S+)(?: (?:run )?(\S+))?/.exec(line ?? '') ?? []
      const isKnown = program in scripts || ['install', 'vitest', 'node'].includes(program)
      expect([line, isKnown]).toEqual([line, true])
      if (program === 'node') expect(read(argument)).toContain('process.argv')
    }
  })
})
