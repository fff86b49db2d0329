import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from 'kubernetes-types/batch/v1'
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { githubParser } from '../../helpers/github-parser.js'
import { casesOf } from '../../helpers/long.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'
import { kubernetesComplaints } from './kubernetes-types.js'

const at = (name: string) => fileURLToPath(new URL(`../../../examples/scale-out/${name}`, import.meta.url))
const text = readFileSync(at('check.github-workflow.yml'), 'utf8')
const { jobs } = parse(text)
const [claim, job, verdict] = parseAllDocuments(readFileSync(at('check.job.yaml'), 'utf8')).map((document) =>
  document.toJS(),
) as [PersistentVolumeClaim, Job, Job]
const bash = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c']

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  // One shard is asked to come again later.
  service = await mockServiceOfCalls('--fault', 'annotations.create: status; code=429; retry-after=3600; times=1')
})
afterAll(() => service?.close())

/** Transcripts of which so many are poor by the annotator `structural`, with a policy about their share. */
function workplace(name: string, { poor, max }: { poor: number; max: string }): string {
  const cwd = join(service.folder, name)
  for (const folder of ['transcripts', 'policy', 'work']) mkdirSync(join(cwd, folder), { recursive: true })
  for (let n = 0; n < 8; n++) {
    const messages = ['user', 'assistant', ...(n < poor ? ['user'] : [])].map((role) => ({
      role,
      content: `${role} ${n}`,
    }))
    writeFileSync(join(cwd, 'transcripts', `${n}.json`), JSON.stringify({ messages }))
  }
  const policy = JSON.stringify({ annotator: 'structural', rates: [{ outcome: 'poor', max }] })
  for (const path of ['svc.checks.json', 'policy/svc.checks.json']) writeFileSync(join(cwd, path), policy)
  return cwd
}

/** One poor transcript of eight is too many, or not: no shard alone can tell. */
const cases = [
  [100, { poor: 2, max: '20%' }],
  [0, { poor: 1, max: '20%' }],
] as const

describe('examples/scale-out/check.github-workflow.yml', () => {
  it('examples/scale-out/check.github-workflow.yml is a workflow to the parser of GitHub', async () => {
    const { complaints } = await githubParser()
    expect(await complaints(text)).toEqual([])
  })

  it('expects as many shards as the matrix has, and merges what they leave', () => {
    const { steps } = jobs.verdict
    const merge = steps.find(({ name }: { name?: string }) => name === 'merge').run
    expect(merge).toContain(`--expect ${jobs.check.strategy.matrix.shard.length} `)
    expect([jobs.verdict.needs, jobs.verdict.if]).toEqual(['check', 'always()'])
  })

  it.each(casesOf(cases))('ends with %i for the share of all shards, and continues after 75', async (expected, of) => {
    const cwd = workplace(`matrix-${expected}`, of)
    const { shard: shards } = jobs.check.strategy.matrix as { shard: number[] }
    const step = jobs.check.steps.find(({ name }: { name?: string }) => name === 'check')
    const runner = (shard: number) => {
      const values: Record<string, unknown> = { 'matrix.shard': shard, 'strategy.job-total': shards.length }
      const given = Object.entries({ ...step.env, PAUSE: '0' }).map(([name, value]) => [
        name,
        String(value).replace(/\$\{\{ (\S+) \}\}/g, (all, key: string) => String(values[key] ?? all)),
      ])
      return service.run([...bash, step.run], cwd, Object.fromEntries(given))
    }
    expect((await Promise.all(shards.map(runner))).map(({ code }) => code)).toEqual(shards.map(() => 0))
    const merge = jobs.verdict.steps.find(({ name }: { name?: string }) => name === 'merge').run
    expect((await service.run([...bash, merge], cwd)).code).toBe(expected)
  })
})

describe('examples/scale-out/check.job.yaml', () => {
  const spec = job.spec ?? expect.fail()
  const [container = expect.fail()] = spec.template.spec?.containers ?? []
  const [merging = expect.fail()] = verdict.spec?.template.spec?.containers ?? []

  it('examples/scale-out/check.job.yaml has the fields that Kubernetes knows, and no others', () => {
    const said = kubernetesComplaints({
      ...{ check: [claim, job], verdict: [claim, verdict] },
      misspelt: [claim, { ...job, spec: { ...spec, complitions: 8 } }],
    })
    expect(said.match(/^\w+\.ts.*/gm)).toEqual([expect.stringMatching(/^misspelt.*complitions/)])
  })

  it('examples/scale-out/check.job.yaml names the same number of shards three times, and mounts what it uses', () => {
    expect(container.env).toContainEqual({ name: 'JOB_COMPLETIONS', value: String(spec.completions) })
    expect(merging.command?.join(' ')).toContain(`--expect ${spec.completions} `)
    for (const { spec: of } of [job, verdict]) {
      const { volumes, containers: [only] = [] } = of?.template.spec ?? expect.fail()
      expect(volumes?.map(({ name }) => name)).toEqual(only?.volumeMounts?.map(({ name }) => name))
    }
    const codes = spec.podFailurePolicy?.rules.flatMap(({ action, onExitCodes }) =>
      (onExitCodes?.values ?? []).map((code) => `${code} ${action}`),
    )
    expect(codes).toEqual(['2 FailJob', '3 FailJob', '4 FailJob', '5 FailJob', '100 FailIndex', '101 FailIndex'])
  })

  it.each(casesOf(cases))('its verdict ends with %i for the share of all pods', async (expected, of) => {
    const cwd = workplace(`job-${expected}`, of)
    const given = Object.fromEntries(container.env?.map(({ name, value = '' }) => [name, value]) ?? [])
    const indexes = Array.from({ length: spec.completions ?? 0 }, (_, index) => String(index))
    const pods = indexes.map((index) =>
      service.run(container.command ?? [], cwd, { ...given, JOB_COMPLETION_INDEX: index }),
    )
    expect((await Promise.all(pods)).map(({ code }) => code)).toEqual(indexes.map(() => 0))
    expect(readdirSync(join(cwd, 'work/reports')).sort()).toEqual(indexes.map((index) => `${index}.json`))
    expect((await service.run(merging.command ?? [], cwd)).code).toBe(expected)
  })
})

describe('array-job.sh gate', () => {
  it.each(casesOf(cases))('ends with %i for the share of all shards', async (expected, of) => {
    const cwd = workplace(`array-${expected}`, of)
    const run = (shards: string, more = {}) =>
      service.run([at('array-job.sh'), 'gate', 'transcripts', shards], cwd, { PAUSE: '0', ...more })
    expect((await run('3')).code).toBe(expected)
    // A task of an array leaves the verdict to the merge, which misses the other task.
    expect((await run('2', { SLURM_ARRAY_TASK_ID: '1' })).code).toBe(0)
    const { code } = await service.run(['svc', 'report', 'merge', 'reports/*-of-2.json', '--expect', '2'], cwd)
    expect(code).toBe(101)
  })
})
