import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const hostile = ['$(touch x)', '`touch x`', `'; touch x; '`, '"$(touch x)"', 'two\nlines\ttab\u001b[2J', '| touch x #']
const fileOf = (cwd: string, kind: string) => join(cwd, 'cache/completion', kind)
const linesOf = (cwd: string, kind: string) => readFileSync(fileOf(cwd, kind), 'utf8').trimEnd().split('\n')

/** A shell whose cache folder is `cache` in its folder. */
function shellWithCache() {
  const shell = createShell()
  const env = { SVC_CACHE_DIR: join(shell.cwd, 'cache') }
  return { ...shell, env, run: (...argv: string[]) => shell.svc(argv, { env }) }
}

describe('the values that the completion knows', () => {
  it('the values that the completion knows are those of the last answers, the newest first, without a key', async () => {
    const { run, cwd, project, server } = shellWithCache()
    await run('projects', 'get', project)
    const created = (await run('projects', 'create', '--name', hostile[4] ?? '')).out.trim()
    const lines = linesOf(cwd, 'projects').map((line) => line.split('\t'))
    expect(lines.map(([value, title]) => [value, title])).toEqual([
      [created, 'two lines tab [2J'],
      [project, 'Test project'],
    ])
    expect(statSync(fileOf(cwd, 'projects')).mode & 0o777).toBe(0o600)
    expect(existsSync(fileOf(cwd, 'annotators'))).toBe(false)
    await run('annotators', 'list')
    expect(linesOf(cwd, 'annotators').map((line) => line.split('\t')[0])).toEqual(['structural', 'patterns'])
    server.world.createProject({ name: 'Another' })
    await run('projects', 'list', '-q')
    expect(linesOf(cwd, 'projects')).toHaveLength(3)
  })

  it('the values that the completion knows of another service are replaced', async () => {
    const { run, cwd, project } = shellWithCache()
    mkdirSync(join(cwd, 'cache/completion'), { recursive: true })
    writeFileSync(fileOf(cwd, 'projects'), 'hp-other\tOther\tother\nnot a line of svc\n')
    await run('projects', 'list')
    expect(linesOf(cwd, 'projects')).toEqual([expect.stringMatching(`^${project}\tTest project\t`)])
  })

  it('the values that the completion knows of another key of the service are replaced', async () => {
    const { svc, env, cwd, server } = shellWithCache()
    const { record } = server.world.createProject({ name: 'Of the other', workspace: 'other' })
    const { key } = server.world.createKey({ workspace: 'other' })
    await svc(['projects', 'list'], { env })
    await svc(['projects', 'list'], { env: { ...env, SVC_API_KEY: key } })
    expect(linesOf(cwd, 'projects')).toEqual([expect.stringMatching(`^${record.id}\tOf the other\t`)])
  })

  it('the projects that the completion knows are kept for another annotation key, and not for another workspace key', async () => {
    const { svc, env, cwd, project, server } = shellWithCache()
    const { id: second } = server.world.createProject({ name: 'Second' }).record
    const { key } = server.world.createKey({})
    await svc(['projects', 'get', project], { env })
    await svc(['projects', 'get', second], { env: { ...env, SVC_ANNOTATION_API_KEY: key } })
    const known = () => linesOf(cwd, 'projects').map((line) => line.split('\t')[0])
    expect(known()).toEqual([second, project])
    await svc(['projects', 'get', project], { env: { ...env, SVC_WORKSPACE_API_KEY: key } })
    expect(known()).toEqual([project])
  })

  it('the annotators that the completion knows are kept for another workspace key, and not for another annotation key', async () => {
    const { svc, env, cwd, server } = shellWithCache()
    const { key } = server.world.createKey({})
    const known = () => linesOf(cwd, 'annotators').map((line) => line.split('\t')[0])
    await svc(['annotators', 'list'], { env })
    const [line = ''] = linesOf(cwd, 'annotators')
    writeFileSync(fileOf(cwd, 'annotators'), `${line.replace('structural', 'of-this-key')}\n`)
    await svc(['annotators', 'list'], { env: { ...env, SVC_WORKSPACE_API_KEY: key } })
    expect(known()).toEqual(['structural', 'patterns', 'of-this-key'])
    await svc(['annotators', 'list'], { env: { ...env, SVC_ANNOTATION_API_KEY: key } })
    expect(known()).toEqual(['structural', 'patterns'])
  })

  it('the projects that the completion knows are in the order of the list', async () => {
    const { run, cwd, server } = shellWithCache()
    server.world.createProject({ name: 'Second' })
    const { out } = await run('projects', 'list', '--json')
    const ids = JSON.parse(out).data.map(({ id }: { id: string }) => id)
    expect([ids.length, linesOf(cwd, 'projects').map((line) => line.split('\t')[0])]).toEqual([2, ids])
  })

  it('the values that the completion knows are not written for a home folder that is not there', async () => {
    const { svc, cwd } = createShell()
    const home = join(cwd, 'none')
    const { code, err } = await svc(['projects', 'list'], { env: { HOME: home } })
    expect([code, err, existsSync(home)]).toEqual([0, '', false])
    mkdirSync(home)
    await svc(['projects', 'list'], { env: { HOME: home } })
    expect(existsSync(join(home, '.cache/svc/completion/projects'))).toBe(true)
  })

  it('the values that the completion knows never fail a command that cannot write them', async () => {
    const { svc, cwd } = createShell()
    writeFileSync(join(cwd, 'cache'), '')
    const { code, err } = await svc(['projects', 'list'], { env: { SVC_CACHE_DIR: join(cwd, 'cache') } })
    expect([code, err]).toEqual([0, ''])
  })
})

const scripts = {} as Record<'bash' | 'zsh' | 'fish' | 'pwsh', string>
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'pwsh'] as const)
    scripts[shell] = (await createShell().svc(['completion', shell])).out
})

/** A folder with the projects of hostile names, in the file for the completion. */
async function folderOfHostile() {
  const { run, cwd, env } = shellWithCache()
  const ids: string[] = []
  for (const name of hostile) ids.push((await run('projects', 'create', '--name', name)).out.trim())
  await run('annotators', 'list')
  return { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env }, ids: ids.sort() }
}

describe('the completion of known values', () => {
  it('the completion of known values in bash offers them, and runs nothing of their titles', async () => {
    const { cwd, env, ids } = await folderOfHostile()
    const offered = (words: string[], more: Record<string, string> = {}) => {
      const line = `${scripts.bash}
PATH=
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_svc
printf '%s\\n' "\${COMPREPLY[@]}"`
      const out = execFileSync('bash', ['--norc', '-c', line], { cwd, env: { ...env, ...more }, encoding: 'utf8' })
      return out.split('\n').filter(Boolean).sort()
    }
    expect(offered(['svc', 'projects', 'get', ''])).toEqual(ids)
    expect(offered(['svc', 'upload', '--project', ids[0]?.slice(0, -1) ?? ''])).toContain(ids[0])
    expect(offered(['svc', 'upload', '--project', '=', 'no'])).toEqual([])
    expect(offered(['svc', 'check', '--annotator', 's'])).toEqual(['structural'])
    expect(offered(['svc', 'projects', 'get', ''], { SVC_CACHE_DIR: '', XDG_CACHE_HOME: cwd })).toEqual([])
    expect(readdirSync(cwd)).not.toContain('x')
  })

  it.each(['zsh', 'fish', 'pwsh'] as const)('the completion of known values in %s reads the file itself', (shell) => {
    const read = { zsh: 'done < "$file"', fish: 'end < $root/completion/$argv[1]', pwsh: 'Get-Content -LiteralPath' }
    expect(scripts[shell]).toContain(read[shell])
    expect(scripts[shell]).not.toMatch(/\beval\b|Invoke-Expression|\b(cat|cut|sed|awk|curl) /)
  })

  const has = (shell: string) => spawnSync(shell, ['--version'], { stdio: 'ignore' }).error === undefined
  it.skipIf(!has('fish'))('the completion of known values in fish offers them (skipped: without fish)', async () => {
    const { cwd, env, ids } = await folderOfHostile()
    const script = `${scripts.fish}\ncomplete -C'svc projects get '`
    const out = execFileSync('fish', ['--no-config', '-c', script], { cwd, env, encoding: 'utf8' })
    expect(
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(ids)
    expect(readdirSync(cwd)).not.toContain('x')
  })

  it.skipIf(!has('zsh'))('the completion of known values in zsh offers them (skipped: without zsh)', async () => {
    const { cwd, env, ids } = await folderOfHostile()
    const script = `compdef() { : }\ncompadd() { print -rl -- $values }\n${scripts.zsh}\n_svc_known projects`
    const out = execFileSync('zsh', ['-f', '-c', script], { cwd, env, encoding: 'utf8' })
    expect(out.split('\n').filter(Boolean).sort()).toEqual(ids)
    expect(readdirSync(cwd)).not.toContain('x')
  })
})
