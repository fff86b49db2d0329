import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { githubParser } from '../helpers/github-parser.js'
import { variant } from '../helpers/long.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const packages = readdirSync(join(root, 'packages'))
const manifestOf = (name: string) => JSON.parse(read(`packages/${name}/package.json`))
const published = packages.filter((name) => !manifestOf(name).private)
const copies: string[] = []
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true })
})

/** Copies the files that a release reads and writes to a folder of its own. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
  copies.push(folder)
  for (const path of ['package.json', 'pnpm-workspace.yaml', 'biome.json', '.gitignore', '.changeset', '.github']) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const path of ['examples/gate', 'spec']) cpSync(join(root, path), join(folder, path), { recursive: true })
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

/** Replace the placeholders of the root, as an owner of the project does before the first release. */
function nameOwner(folder: string): void {
  const path = join(folder, 'package.json')
  const named = readFileSync(path, 'utf8').replaceAll('svc.invalid', 'svc.example')
  // A name that means something else in YAML, and in a replacement.
  writeFileSync(
    path,
    named.replace('the svc authors', () => 'Ann: $& #1'),
  )
  run(folder, 'node', '.github/release.mjs', 'sync')
}

/**
 * Run a line of a workflow or a script as GitHub and pnpm run it. `npx` and `pnpm` record their arguments and do nothing,
 * because they would need the network. `more` names other programs that only record.
 */
function runStep(
  folder: string,
  line: string,
  more: string[] = [],
  variables = {},
): { status: number | null; calls: string[]; output: string } {
  const stubs = join(folder, 'stubs')
  const log = join(folder, 'calls.txt')
  mkdirSync(stubs, { recursive: true })
  for (const name of ['npx', 'pnpm', ...more]) {
    writeFileSync(join(stubs, name), `#!/bin/sh\necho "${name} $*" >> "${log}"\n`)
    chmodSync(join(stubs, name), 0o755)
  }
  rmSync(log, { force: true })
  const env = { ...process.env, ...variables, PATH: `${stubs}:${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', line], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return { status, calls, output: stdout + stderr }
}

describe('a release', () => {
  it('a release is refused while the address of the project is a placeholder', () => {
    const folder = copy()
    const { status, stderr } = run(folder, 'node', '.github/release.mjs', 'check')
    expect(status).toBe(1)
    expect(stderr.split('\n').map((line) => line.split(':')[1])).toEqual([
      ...[' author is a placeholder', ' homepage is a placeholder', ' bugs is a placeholder'],
      ...[' repository is a placeholder', undefined, undefined],
    ])
  })

  it('a release goes on once the root names real addresses, which every package and its README then repeat', () => {
    const folder = copy()
    nameOwner(folder)
    expect(run(folder, 'node', '.github/release.mjs', 'check').status).toBe(0)
    for (const name of packages) {
      const { homepage, repository } = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'))
      expect([homepage, repository.directory]).toEqual(['https://svc.example/docs', `packages/${name}`])
      expect(readFileSync(join(folder, 'packages', name, 'README.md'), 'utf8')).not.toContain('svc.invalid')
    }
    for (const surface of ['annotation', 'workspace']) {
      const { info } = parse(readFileSync(join(folder, `spec/${surface}.openapi.yaml`), 'utf8'))
      expect(info.contact).toEqual({
        name: 'Ann: $& #1',
        email: 'maintainers@svc.example',
        url: 'https://svc.example/issues',
      })
    }
  })

  variant(
    'gives every published package and its tarball the next minor version and a changelog, by release:version',
    () => {
      const folder = copy()
      // Right after a release, no other changeset waits.
      const bumps = published.map((name) => `'@svc/${name}': minor\n`).join('')
      writeFileSync(join(folder, '.changeset/next.md'), `---\n${bumps}---\n\nAdd a feature.\n`)
      const { scripts } = JSON.parse(read('package.json'))
      const { status, calls, output } = runStep(folder, scripts['release:version'])
      expect([status, output, calls]).toEqual([0, expect.anything(), ['pnpm install --lockfile-only']])
      const [major, minor] = manifestOf('cli').version.split('.').map(Number)
      const next = `${major}.${minor + 1}.0`
      for (const name of published) {
        const { version } = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'))
        expect(version).toBe(next)
        const changelog = readFileSync(join(folder, 'packages', name, 'CHANGELOG.md'), 'utf8')
        expect(changelog).toMatch(
          new RegExp(`^# @svc/${name}\n\n## ${next.replaceAll('.', '\\.')}\n\n### Minor Changes\n\n- (\\w+: )?[A-Z]`),
        )
      }
      expect(readdirSync(join(folder, '.changeset')).filter((name) => name.endsWith('.md'))).toEqual([])
      for (const name of ['gate.github-workflow.yml', 'gate.gitlab-ci.yml', 'action.yml'])
        expect(readFileSync(join(folder, 'examples/gate', name), 'utf8')).toContain(next)

      run(folder, 'npx', '--yes', 'pnpm@12', '--recursive', 'pack', '--out', join(folder, 'packed/%s.tgz'))
      for (const name of published) {
        const { stdout } = run(folder, 'tar', '-xzOf', `packed/svc-${name}.tgz`, 'package/package.json')
        const { version, dependencies, devDependencies } = JSON.parse(stdout)
        const ranges = Object.entries({ ...dependencies, ...devDependencies })
        const siblings = ranges.filter(([other]) => published.some((each) => other === `@svc/${each}`))
        expect([name, version, ...siblings.map(([, range]) => String(range).replace('^', ''))]).toEqual([
          name,
          next,
          ...siblings.map(() => next),
        ])
        const changelog = run(folder, 'tar', '-xzOf', `packed/svc-${name}.tgz`, 'package/CHANGELOG.md')
        expect(changelog.stdout).toContain('Add a feature.')
        if (name === 'cli') expect(siblings.length).toBe(published.length - 1)
      }
    },
  )

  it('publishes with provenance by release:publish, and not while a placeholder is left', () => {
    const folder = copy()
    const { scripts } = JSON.parse(read('package.json'))
    const publish = () => runStep(folder, scripts['release:publish'], ['changeset'])
    expect(publish()).toMatchObject({ status: 1, calls: [] })
    nameOwner(folder)
    expect(publish()).toMatchObject({
      status: 0,
      calls: ['pnpm build:silent', 'pnpm --recursive publish --provenance --access public', 'changeset tag'],
    })
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

/** A job of a workflow. */
interface Job {
  needs?: string
  permissions?: Record<string, string>
  steps: { uses?: string; run?: string; with?: Record<string, string> }[]
}

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

  it.each(workflows)('%s: each shell step runs, and calls pnpm with a script or program that exists', (_, text) => {
    const folder = copy()
    nameOwner(folder)
    const { scripts } = JSON.parse(read('package.json'))
    const jobs = Object.values<{ steps: { run?: string; with?: Record<string, string> }[] }>(parse(text).jobs)
    const steps = jobs.flatMap((job) => job.steps)
    for (const line of steps.flatMap((step) => [step.run, step.with?.version, step.with?.publish])) {
      if (line === undefined) continue
      const { status, calls, output } = runStep(folder, line, ['sudo'])
      expect([line, status, output]).toEqual([line, 0, ''])
      if (/^(?:node|sudo) /.test(line)) continue
      expect(calls).toEqual([line])
      const [, program = ''] = /^npx --yes pnpm@\S+ (?:run |exec )?(\S+)/.exec(line) ?? []
      expect([line, program in scripts || ['install', 'vitest'].includes(program)]).toEqual([line, true])
    }
  })

  it.each(workflows)('%s pins every action to a commit, with its version beside it for Dependabot', (_, text) => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'))
    expect(uses.length).toBeGreaterThan(0)
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each(workflows)('%s runs the pnpm of package.json', (_, text) => {
    const { packageManager } = JSON.parse(read('package.json'))
    for (const [named] of text.matchAll(/pnpm@\S+/g)) expect(named).toBe(packageManager)
  })

  const recipes = ['gate/gate.github-workflow.yml', 'scale-out/upload.github-workflow.yml'].map(
    (name) => [name, read(`examples/${name}`)] as const,
  )
  it.each([...workflows, ...recipes])(
    '%s: a checkout leaves no credentials, and Node.js comes without a cache',
    (_, text) => {
      const jobs = Object.values<Job>(parse(text).jobs)
      const withOf = (action: string) =>
        jobs.flatMap(({ steps }) => steps).filter(({ uses }) => uses?.startsWith(action))
      for (const step of withOf('actions/checkout@')) expect(step.with).toMatchObject({ 'persist-credentials': false })
      // It would look for a pnpm that is not installed.
      for (const step of withOf('actions/setup-node@'))
        expect(step.with).toMatchObject({ 'package-manager-cache': false })
    },
  )

  it.each(workflows)('%s: only a job that publishes has an identity, and it runs no tests', (_, text) => {
    const jobs = Object.entries<Job>(parse(text).jobs)
    for (const [name, { permissions, steps }] of jobs) {
      const runsTests = steps.some(({ run: line }) => /pnpm@\S+ (?:run )?test/.test(line ?? ''))
      expect([name, permissions?.['id-token']]).toEqual([name, name === 'publish' ? 'write' : undefined])
      if (name === 'publish') expect(runsTests).toBe(false)
    }
  })

  it('release.yml: nothing is published before the tests have passed', () => {
    const jobs: Record<string, Job> = parse(read('.github/workflows/release.yml')).jobs
    expect(Object.keys(jobs)).toEqual(['test', 'publish'])
    expect(jobs.publish?.needs).toBe('test')
    expect(jobs.test?.permissions).toBeUndefined()
    expect(jobs.test?.steps.map(({ run: line }) => line)).toContain(
      `npx --yes ${JSON.parse(read('package.json')).packageManager} test`,
    )
  })

  it('ci.yml: the commit check accepts a good message and refuses a bad one, in a clone without history', () => {
    const folder = copy()
    cpSync(join(root, 'test/repository/commits.test.ts'), join(folder, 'test/repository/commits.test.ts'))
    const steps: { name?: string; run?: string }[] = parse(read('.github/workflows/ci.yml')).jobs.commits.steps
    const check = steps.find(({ name }) => name === 'Check the commit messages')?.run ?? expect.fail()
    const program = check.replace(/^npx --yes pnpm@\S+ exec /, '')
    const commit = (message: string) =>
      runStep(
        folder,
        `git -c user.name=a -c user.email=a@svc.example commit --quiet --allow-empty -m '${message}' && ${program}`,
      )
    run(folder, 'git', 'init', '--quiet')
    expect(commit('fix(client): cap error bodies')).toMatchObject({ status: 0 })
    expect(commit('Cap error bodies')).toMatchObject({ status: 1, output: expect.stringContaining('Cap error bodies') })
  })
})

describe('examples/gate/action.yml', () => {
  const { inputs, runs } = parse(read('examples/gate/action.yml'))
  const steps: { run?: string; env?: Record<string, string> }[] = runs.steps

  it('installs the command and then checks, with the default of each input', () => {
    const folder = copy()
    const calls = steps.flatMap(({ run: line, env = {} }) => {
      if (line === undefined) return []
      const values = Object.entries(env).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input) => inputs[input].default),
      ])
      const output = { GITHUB_OUTPUT: join(folder, 'output') }
      const step = runStep(folder, line, ['npm', 'svc'], { ...Object.fromEntries(values), ...output })
      expect(step).toMatchObject({ status: 0, output: '' })
      return step.calls
    })
    expect(calls).toEqual([
      `npm install --global @svc/cli@${manifestOf('cli').version}`,
      'svc check --report github --report json=svc-report/report.json --report html=svc-report/report.html --',
    ])
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('exit-code=0\nverdict=\n')
  })
})
