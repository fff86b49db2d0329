import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { githubParser } from '../../helpers/github-parser.js'
import { casesOf } from '../../helpers/long.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))
const read = (name: string) => readFileSync(join(examples, 'gate', name), 'utf8')
const { jobs, ...settings } = parse(read('gate.github-workflow.yml'))
const workflow = jobs.check
const gitlab = parse(read('gate.gitlab-ci.yml')).transcripts
const action = parse(read('action.yml'))
const bash = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c']
const find = (steps: { run?: string; env?: Record<string, string> }[]) =>
  steps.find(({ run }) => run?.includes('svc check')) ?? expect.fail()

type Service = Awaited<ReturnType<typeof mockServiceOfCalls>>
let up: Service
let full: Service
beforeAll(async () => {
  // The second has no quota left for an hour.
  const limited = ['--fault', 'annotations.create: status; code=429; retry-after=3600; times=1000']
  ;[up, full] = await Promise.all([mockServiceOfCalls(), mockServiceOfCalls(...limited)])
})
afterAll(() => {
  up?.close()
  full?.close()
})

/** Each recipe: how it is run in a repository, and a file that it leaves. */
const recipes: Record<string, { run(service: Service, cwd: string): ReturnType<Service['run']>; leaves: string }> = {
  'gate.sh': {
    run: (service, cwd) => service.run(['sh', join(examples, 'gate/gate.sh'), 'transcripts'], cwd, { PAUSE: '0' }),
    leaves: 'reports/junit.xml',
  },
  'gate.github-workflow.yml': {
    run: (service, cwd) =>
      service.run([...bash, find(workflow.steps).run ?? ''], cwd, {
        ...{ SVC_CACHE_DIR: join(cwd, workflow.env.SVC_CACHE_DIR), GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') },
      }),
    leaves: 'summary.md',
  },
  'gate.gitlab-ci.yml': {
    run: (service, cwd) =>
      service.run(['sh', '-e', '-c', gitlab.script.join('\n')], cwd, { SVC_CACHE_DIR: join(cwd, '.svc-cache') }),
    leaves: gitlab.artifacts.reports.junit,
  },
  'action.yml': {
    run: (service, cwd) => service.run([...bash, find(action.runs.steps).run ?? ''], cwd, actionEnv(cwd)),
    leaves: 'svc-report/report.html',
  },
}

const actionEnv = (cwd: string) => {
  const inputs: Record<string, string> = { annotator: '', paths: 'transcripts', flags: '--indeterminate=unjudged\n' }
  const value = (text: string) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name].default)
  const env = Object.entries(find(action.runs.steps).env ?? {}).map(([name, text]) => [name, value(text)])
  return {
    ...(Object.fromEntries(env) as Record<string, string>),
    ...{ SVC_CACHE_DIR: join(cwd, '.svc-cache'), GITHUB_OUTPUT: join(cwd, 'output') },
  }
}

const conversations = {
  passed: 'transcripts/delivery.json',
  failed: 'transcript.json',
}
const silent = '[{"role": "assistant", "content": "Hello."}]'

/** A repository whose transcripts lead to an outcome. */
function repository(outcome: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-gate-'))
  folders.push(cwd)
  mkdirSync(join(cwd, 'transcripts'))
  mkdirSync(join(cwd, '.git'))
  cpSync(join(examples, 'gate/svc.checks.json'), join(cwd, 'svc.checks.json'))
  cpSync(join(examples, conversations.passed), join(cwd, 'transcripts/delivery.json'))
  if (outcome === 'failed') cpSync(join(examples, conversations.failed), join(cwd, 'transcripts/order.json'))
  if (outcome === 'could not judge') writeFileSync(join(cwd, 'transcripts/silent.json'), silent)
  return cwd
}
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const outcomes = [
  ['failed', 100],
  ['could not judge', 101],
  ['passed', 0],
  ['temporary', 75],
] as const

describe.each(Object.entries(recipes))('examples/gate/%s', (name, { run, leaves }) => {
  it.each(casesOf(outcomes, 2))('ends a check that %s with %i, and leaves its reports', async (outcome, expected) => {
    const cwd = repository(outcome)
    const { code, out, err } = await run(outcome === 'temporary' ? full : up, cwd)
    expect([code, `${out}${err}`]).toEqual([expected, expect.stringMatching(/passed|failed|could not judge/)])
    expect(existsSync(join(cwd, leaves))).toBe(true)
    if (name !== 'action.yml') return
    const verdict = outcome === 'passed' || outcome === 'failed' ? outcome : 'not judged'
    expect(readFileSync(join(cwd, 'output'), 'utf8')).toBe(`exit-code=${expected}\nverdict=${verdict}\n`)
  })
})

describe('the recipes', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'))

  it('install the version of the command that they were tested with', () => {
    const pinned = `npm install --global @svc/cli@${version}`
    expect(workflow.steps.map(({ run }: { run?: string }) => run)).toContain(pinned)
    expect(gitlab.before_script).toEqual([pinned])
    expect(action.inputs.version.default).toBe(version)
  })

  it('have a policy by which a new repository passes without a note', async () => {
    const cwd = repository('passed')
    const { code, out } = await up.run(['svc', 'check', '--json'], cwd)
    expect([code, JSON.parse(out)]).toMatchObject([0, { notes: [], unmatched: [] }])
  })

  it('for GitLab writes a Code Quality report at the lines of the repository', async () => {
    const cwd = repository('failed')
    await recipes['gate.gitlab-ci.yml']?.run(up, cwd)
    const issues = JSON.parse(readFileSync(join(cwd, gitlab.artifacts.reports.codequality), 'utf8'))
    expect(issues).toContainEqual(
      expect.objectContaining({
        check_name: 'svc/outcome',
        location: expect.objectContaining({ path: 'transcripts/order.json' }),
      }),
    )
  })
})

describe('the recipes for GitHub', async () => {
  const { complaints, actionComplaints } = await githubParser()

  it('the recipes for GitHub are a workflow and an action to the parser of GitHub', async () => {
    expect(await complaints(read('gate.github-workflow.yml'))).toEqual([])
    expect(await complaints(read('gate.github-workflow.yml').replace('runs-on', 'run-on'))).not.toEqual([])
    expect(actionComplaints(read('action.yml'))).toEqual([])
  })

  it('grant no more than they need, and run for pushes and for pull requests', () => {
    expect(settings).toMatchObject({ on: { push: { branches: ['main'] }, pull_request: null }, permissions: {} })
    expect(workflow.permissions).toEqual({
      actions: 'read',
      contents: 'read',
      'pull-requests': 'write',
      'security-events': 'write',
    })
    expect(read('gate.github-workflow.yml')).not.toContain('pull_request_target')
  })

  it('say of a pull request from a fork that it is not judged', async () => {
    const same = 'github.event.pull_request.head.repo.full_name == github.repository'
    expect(workflow.if).toBe(`github.event_name == 'push' || ${same}`)
    expect(jobs.fork.if).toBe(`github.event_name == 'pull_request' && ${same.replace('==', '!=')}`)
    const { out } = await up.run([...bash, jobs.fork.steps[0].run], repository('passed'))
    expect(out).toMatch(/^::warning title=Transcripts not judged::/)
  })

  it('writes one comment, and replaces it in the next run', async () => {
    const cwd = repository('failed')
    const { run } = workflow.steps.find(({ name }: { name?: string }) => name === 'comment')
    const comment = async (id: string) => {
      const gh = `#!/bin/sh\necho "$*" >> calls; case "$*" in *--paginate*) printf '%s' "${id}";; esac\n`
      writeFileSync(join(cwd, 'gh'), gh, { mode: 0o755 })
      writeFileSync(join(cwd, 'calls'), '')
      const { code } = await up.run([...bash, `PATH=$PWD:$PATH\n${run}`], cwd, { REPOSITORY: 'o/r', NUMBER: '7' })
      return [code, readFileSync(join(cwd, 'calls'), 'utf8').trim().split('\n').at(-1)]
    }
    const field = '--field body=@report/report.md --silent'
    expect(await comment('')).toEqual([0, `api --method POST repos/o/r/issues/7/comments ${field}`])
    expect(await comment('12\n')).toEqual([0, `api --method PATCH repos/o/r/issues/comments/12 ${field}`])
    await recipes['gate.github-workflow.yml']?.run(up, cwd)
    expect(readFileSync(join(cwd, 'report/report.md'), 'utf8')).toMatch(/^## svc check: failed/)
  })

  it('compares a pull request with the completed report of the commit that it started from', async () => {
    const cwd = repository('passed')
    const step = workflow.steps.find(({ name }: { name?: string }) => name === 'reference')
    expect(step.if).toBe("github.event_name == 'pull_request'")
    await recipes['gate.github-workflow.yml']?.run(up, cwd)
    cpSync(join(cwd, 'report'), join(cwd, 'artifact'), { recursive: true })
    const reference = async (id: string) => {
      const gh = `#!/bin/sh
echo "$*" >> calls
case "$*" in
api*) echo start ;;
'run list'*) printf '%s' "${id}" ;;
'run download'*) cp -r artifact reference ;;
esac
`
      writeFileSync(join(cwd, 'gh'), gh, { mode: 0o755 })
      writeFileSync(join(cwd, 'calls'), '')
      const env = { GH_REPO: 'o/r', BASE: 'base', HEAD: 'head' }
      const { code, out } = await up.run([...bash, `PATH=$PWD:$PATH\n${step.run}`], cwd, env)
      return { code, out, calls: readFileSync(join(cwd, 'calls'), 'utf8') }
    }
    expect(await reference('')).toMatchObject({ code: 0, out: expect.stringContaining('There is no report for start') })
    const { code, calls } = await reference('7')
    expect([code, calls]).toEqual([
      0,
      expect.stringContaining('run list --workflow transcripts.yml --event push --commit start --status completed'),
    ])
    expect(calls).toContain('api repos/o/r/compare/base...head')
    writeFileSync(
      join(cwd, 'transcripts/delivery.json'),
      readFileSync(join(cwd, 'transcripts/delivery.json'), 'utf8').replace('?', '??'),
    )
    await recipes['gate.github-workflow.yml']?.run(up, cwd)
    const { reference: compared } = JSON.parse(readFileSync(join(cwd, 'report/report.json'), 'utf8'))
    expect(compared).toMatchObject({ from: 'reference/report.json', comparison: { causes: { content: { pairs: 1 } } } })
  })

  it('save the annotations under the key that the next run restores, also after a failed check', () => {
    for (const steps of [workflow.steps, action.runs.steps] as { uses?: string; if?: string; with?: object }[][]) {
      const restore = steps.find(({ uses }) => uses?.startsWith('actions/cache/restore@'))?.with as Record<
        string,
        string
      >
      const save = steps.find(({ uses }) => uses?.startsWith('actions/cache/save@'))
      expect([save?.with, save?.if]).toEqual([{ path: restore.path, key: restore.key }, 'always()'])
      const prefixes = restore['restore-keys']?.trim().split('\n') ?? []
      expect(prefixes.map((prefix) => restore.key?.startsWith(prefix))).toEqual(prefixes.map(() => true))
    }
  })

  it('keep apart what the jobs of a matrix, and two uses in one run, have to save', () => {
    const steps = action.runs.steps as { uses?: string; with?: Record<string, string> }[]
    const named = (uses: string) => steps.find((step) => step.uses?.startsWith(uses))?.with ?? {}
    const places = [named('actions/upload-artifact@').name, named('actions/cache/save@').key]
    const at = (name: string, job: string, index: string) => {
      const values: Record<string, string> = { 'inputs.name': name, 'github.job': job, 'strategy.job-index': index }
      return places.map((place) => place?.replace(/\$\{\{ (\S+) \}\}/g, (_, expression) => values[expression] ?? ''))
    }
    const uses = [at('a', 'check', '0'), at('b', 'check', '0'), at('a', 'other', '0'), at('a', 'check', '1')]
    for (const nth of [0, 1]) expect(new Set(uses.map((each) => each[nth])).size).toBe(uses.length)
  })

  it('ignore the report of an earlier step', async () => {
    const cwd = repository('passed')
    mkdirSync(join(cwd, 'svc-report'))
    writeFileSync(join(cwd, 'svc-report/report.json'), '{"verdict": "passed"}')
    writeFileSync(join(cwd, 'svc-report/report.html'), 'passed')
    const env = { ...actionEnv(cwd), PATHS: 'nowhere' }
    const { code } = await up.run([...bash, find(action.runs.steps).run ?? ''], cwd, env)
    expect([code, readFileSync(join(cwd, 'output'), 'utf8')]).toEqual([3, 'exit-code=3\nverdict=not judged\n'])
    expect(readFileSync(join(cwd, 'svc-report/report.html'), 'utf8')).toContain('nowhere')
  })

  it('takes nothing of its inputs for a command', async () => {
    const cwd = repository('passed')
    const env = { ...actionEnv(cwd), PATHS: '  transcripts/$(touch broken)\n; touch broken  \n' }
    const { code } = await up.run([...bash, find(action.runs.steps).run ?? ''], cwd, env)
    expect([code, existsSync(join(cwd, 'broken'))]).toEqual([3, false])
  })
})
