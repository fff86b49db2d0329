import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { angry, calm } from '../../helpers/conversations.js'
import { variant } from '../../helpers/long.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const hook = fileURLToPath(new URL('../../../examples/gate/pre-commit', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-pre-commit-'))
let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => {
  service?.close()
  rmSync(folder, { recursive: true })
})

const policy = { annotator: 'structural', paths: ['transcripts'] }
let repositories = 0

/** A repository with the hook and these files, none of which is staged. */
async function repository(files: Record<string, unknown> = {}, cwd = join(folder, `repository ${++repositories}`)) {
  mkdirSync(cwd, { recursive: true })
  const put = (all: Record<string, unknown>) => {
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
  const sh = (line: string, at = cwd) => service.run(['sh', '-e', '-c', line], at, identity)
  const prepared = await sh('git init --quiet . && mkdir -p .git/hooks')
  expect(prepared.code, prepared.err).toBe(0)
  cpSync(hook, join(cwd, '.git/hooks/pre-commit'))
  chmodSync(join(cwd, '.git/hooks/pre-commit'), 0o755)
  put(files)
  /** The exit code of a command, by default of a commit of what is staged. */
  const commit = async (line = 'git commit --quiet --message test', at = cwd) => {
    const { code, err, out } = await sh(line, at)
    return { code, text: `${out}${err}` }
  }
  return { cwd, put, sh, commit }
}

const identity = {
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.invalid' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.invalid', GIT_CONFIG_GLOBAL: '/dev/null' },
}

const passes = { code: 0 }
const fails = { code: 1, text: expect.stringContaining('failed: 1 of 1 transcript is poor or worse') }
const saysNothingToJudge = { code: 0, text: expect.stringContaining('passed: no transcripts to judge') }

it('the hook lets the first commit of good transcripts pass, and blocks one of a bad transcript', async () => {
  const { sh, commit, put } = await repository({ 'svc.checks.json': policy, 'transcripts/a.json': calm })
  await sh('git add .')
  expect(await commit()).toMatchObject({
    code: 0,
    text: expect.stringMatching(/passed: no transcript .* \(1 judged\)/),
  })
  put({ 'transcripts/b.json': angry })
  await sh('git add .')
  expect(await commit()).toMatchObject(fails)
  expect((await commit('git commit --quiet --no-verify --message test')).code).toBe(0)
  // The bad transcript is not part of this commit.
  put({ 'transcripts/c.json': calm.replace('France', 'Spain') })
  await sh('git add .')
  expect(await commit()).toMatchObject(passes)
})

it('the hook judges what is staged, not the working directory', async () => {
  const { sh, commit, put } = await repository({ 'svc.checks.json': policy, 'transcripts/a.json': angry })
  await sh('git add .')
  put({ 'transcripts/a.json': calm, 'svc.checks.json': { ...policy, failOn: 'none' } })
  expect(await commit()).toMatchObject(fails)
  await sh('git add transcripts')
  put({ 'transcripts/a.json': angry, 'transcripts/untracked.json': angry })
  expect(await commit()).toMatchObject(passes)
})

variant('the hook lets a commit without a transcript pass', async () => {
  const { sh, commit, put, cwd } = await repository({ 'svc.checks.json': policy, 'README.md': '' })
  await sh('git add .')
  expect(await commit()).toMatchObject(saysNothingToJudge)
  put({ 'transcripts/README.md': 'Notes', 'package.json': { name: 'app' }, 'src/main.ts': '' })
  await sh('git add .')
  expect(await commit()).toMatchObject(saysNothingToJudge)
  put({ 'transcripts/a.json': calm })
  await sh('git add .')
  expect(await commit()).toMatchObject(passes)
  await sh('git rm --quiet transcripts/a.json')
  expect(await commit()).toMatchObject(passes)
  expect(await commit('git commit --quiet --allow-empty --message test')).toMatchObject(passes)
  rmSync(join(cwd, 'README.md'))
  expect(await commit('git commit --quiet --all --message test')).toMatchObject(passes)
})

variant('the hook judges what `git commit --all` and `git commit FILE` commit', async () => {
  const { commit, sh, put } = await repository({ 'svc.checks.json': policy })
  put({ 'transcripts/a.json': calm, 'transcripts/b.json': calm })
  await sh('git add .')
  expect(await commit()).toMatchObject(passes)
  put({ 'transcripts/a.json': calm.replace('France', 'Peru'), 'transcripts/b.json': angry })
  const file = (path: string) => commit(`git commit --quiet --message test -- ${path}`)
  expect(await commit('git commit --quiet --all --message test')).toMatchObject({ code: 1 })
  expect(await file('transcripts/b.json')).toMatchObject(fails)
  expect(await file('transcripts/a.json')).toMatchObject(passes)
})

variant('the hook judges files of any name', async () => {
  const names = ['a b.json', '-dash.json', '--help.json', 'line\nbreak.json', '"quote\'.json', 'täxt.json', '[a]*.json']
  const all = (content: (n: number) => string) =>
    Object.fromEntries(names.map((name, n) => [`transcripts/${name}`, content(n)]))
  const { sh, commit, put } = await repository({ 'svc.checks.json': policy })
  put(all((n) => angry.replace('order 7', `order ${n}`)))
  await sh('git add .')
  expect(await commit()).toMatchObject({ code: 1, text: expect.stringContaining('failed: 7 of 7 transcripts') })
  put(all((n) => calm.replace('France', `country ${n}`)))
  await sh('git add .')
  expect(await commit()).toMatchObject({
    code: 0,
    text: expect.stringMatching(/passed: no transcript .* \(7 judged\)/),
  })
})

it('the hook reads the baseline, the policy and its imports as they are staged', async () => {
  const code = `import { outcome } from './rules/outcome.mjs'
    import 'installed'
    export default { annotator: 'structural', paths: ['transcripts'], baseline: 'b.json', failOn: outcome }`
  const { sh, commit, put, cwd } = await repository({
    ...{ 'svc.checks.json': policy, 'transcripts/a.json': angry, 'rules/outcome.mjs': "export const outcome = 'poor'" },
  })
  await sh('git add transcripts')
  const accepted = await sh('svc check --baseline b.json --update-baseline')
  expect(accepted.code, accepted.err).toBe(0)
  put({ 'svc.checks.json': { ...policy, baseline: 'b.json' } })
  await sh('git add . && rm b.json')
  expect(await commit()).toMatchObject(passes)
  put({ 'node_modules/installed/index.js': '', '.gitignore': 'node_modules' })
  put({ 'svc.checks.ts': code, 'transcripts/b.json': angry.replace('7', '8') })
  await sh('git rm --quiet --force svc.checks.json && git add svc.checks.ts transcripts rules && rm -r rules')
  expect(await commit()).toMatchObject(fails)
  put({ 'rules/outcome.mjs': "export const outcome = 'critical'" })
  await sh('git add rules')
  rmSync(join(cwd, 'rules'), { recursive: true })
  expect(await commit()).toMatchObject(passes)
})

variant('the hook judges the folder "transcripts" if the policy names no paths', async () => {
  const { sh, commit, put } = await repository({ 'svc.checks.ts': "export default { annotator: 'structural' }" })
  await sh('git add .')
  expect(await commit()).toMatchObject(passes)
  put({ 'transcripts/a.json': angry })
  await sh('git add .')
  expect(await commit()).toMatchObject(fails)
})

it('the hook refuses transcripts without a staged policy, and nothing else', async () => {
  const { sh, commit, put } = await repository({ 'svc.checks.json': policy, 'README.md': '' })
  await sh('git add README.md')
  expect(await commit()).toMatchObject(passes)
  put({ 'transcripts/a.json': calm })
  await sh('git add transcripts')
  expect(await commit()).toMatchObject({ code: 1, text: expect.stringContaining('git add svc.checks.json') })
})

it('the hook follows staged links inside the repository, and blocks one that leads to nothing', async () => {
  const { sh, commit, put, cwd } = await repository({ 'svc.checks.json': policy, 'shared/a.json': calm })
  mkdirSync(join(cwd, 'transcripts'))
  symlinkSync('../shared/a.json', join(cwd, 'transcripts/link.json'))
  await sh('git add .')
  expect(await commit()).toMatchObject({ code: 0, text: expect.stringMatching(/no transcript .* \(1 judged\)/) })
  symlinkSync('../shared/later.json', join(cwd, 'transcripts/later.json'))
  put({ 'shared/later.json': calm })
  await sh('git add transcripts')
  expect(await commit()).toMatchObject({ code: 1, text: expect.stringContaining('broken link') })
})

variant('the hook works in a worktree, in a submodule and from a subfolder', async () => {
  const { sh, commit, cwd } = await repository({ 'svc.checks.json': policy, 'transcripts/a.json': calm })
  await sh('git add .')
  expect(await commit()).toMatchObject(passes)
  const tree = join(folder, `worktree ${repositories}`)
  expect((await sh(`git worktree add --quiet -b tree "${tree}"`)).code).toBe(0)
  writeFileSync(join(tree, 'transcripts/b.json'), angry)
  expect(await commit('git add . && git commit --quiet --message test', join(tree, 'transcripts'))).toMatchObject(fails)

  const outer = await repository({ 'svc.checks.json': policy })
  const added = await outer.sh(
    `git -c protocol.file.allow=always submodule add --quiet "${cwd}" transcripts && git add .`,
  )
  expect(added.code, added.err).toBe(0)
  expect(await outer.commit()).toMatchObject(passes)
  await outer.sh('cp .git/hooks/pre-commit .git/modules/transcripts/hooks/')
  writeFileSync(join(outer.cwd, 'transcripts/transcripts/b.json'), angry)
  const inner = 'git add . && git commit --quiet --message test'
  expect(await outer.commit(inner, join(outer.cwd, 'transcripts/transcripts'))).toMatchObject(fails)
})
