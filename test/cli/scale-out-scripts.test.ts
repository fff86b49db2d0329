import { execSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { githubParser } from './github-parser.js'
import { leaveLock } from './left-lock.js'
import { mockService, namesOf } from './mock-service.js'

const at = (name: string) => fileURLToPath(new URL(`../../examples/scale-out/${name}`, import.meta.url))
const text = readFileSync(at('upload.github-workflow.yml'), 'utf8')

interface Step {
  run?: string
  uses?: string
  if?: string
  with?: Record<string, string>
  env?: Record<string, string>
}
const { strategy, steps } = parse(text).jobs.upload as {
  strategy: { matrix: { shard: number[] } }
  steps: Step[]
}
const find = (of: (step: Step) => boolean | undefined) => steps.find(of) ?? expect.fail()

const { complaints } = await githubParser()

describe('examples/scale-out/upload.github-workflow.yml', () => {
  it('examples/scale-out/upload.github-workflow.yml is a workflow to the parser of GitHub', async () => {
    expect(await complaints(text)).toEqual([])
    expect(await complaints(text.replace('fail-fast:', 'failfast:'))).toEqual([
      expect.stringContaining("Unexpected value 'failfast'"),
    ])
    expect((await complaints(text.replace('matrix.shard }', 'matrx.shard }')))[0]).toContain("named-value: 'matrx'")
  })

  it('saves the ledger of a shard under the key that the next run restores', () => {
    const restore = find(({ uses }) => uses?.startsWith('actions/cache/restore@')).with
    const save = find(({ uses }) => uses?.startsWith('actions/cache/save@'))
    expect([save.with, save.if]).toEqual([{ path: restore?.path, key: restore?.key }, 'always()'])
    expect(restore?.key?.startsWith(restore['restore-keys'] ?? 'none')).toBe(true)
  })

  it('uploads each transcript once, goes on at 75, and with a ledger that was lost', async () => {
    const service = await mockService(
      ...['--fault', 'transcripts.upload: status; code=429; retry-after=3600; times=2'],
      ...['--fault', 'transcripts.upload: lost; skip=4; times=2'],
    )
    try {
      const { shard: shards } = strategy.matrix
      const rebuild = find((step) => step.if?.includes('cache-matched-key')).run ?? ''
      const upload = find(({ run }) => run?.includes('svc upload '))
      const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c']
      const runner = async (shard: number) => {
        const values = { 'matrix.shard': shard, 'strategy.job-total': shards.length }
        const given = Object.entries({ ...upload.env, PAUSE: '0' }).map(([name, value]) => [
          name,
          String(value).replace(/\$\{\{ (\S+) \}\}/g, (all, key: keyof typeof values) => String(values[key] ?? all)),
        ])
        const cwd = join(service.folder, `runner-${shard}`)
        const rebuilt = readdirSync(cwd).includes('ledger')
          ? undefined
          : await service.run([...shell, rebuild], cwd, Object.fromEntries(given))
        return { rebuilt, ...(await service.run([...shell, upload.run ?? ''], cwd, Object.fromEntries(given))) }
      }
      for (const shard of shards) service.workplace(`runner-${shard}`, 20)
      const first = await Promise.all(shards.map(runner))
      expect(first.map(({ code }) => code)).toEqual(shards.map(() => 0))
      expect(first.map(({ err }) => err).join('')).toContain('what is stored is not sent again')
      expect(await service.stored()).toEqual(namesOf(20))

      const { path } = find(({ uses }) => uses?.startsWith('actions/cache/save@')).with ?? {}
      for (const shard of shards) {
        // A shell reads the pattern as the cache does.
        const cwd = join(service.folder, `runner-${shard}`)
        leaveLock(join(cwd, 'ledger'))
        execSync(`mkdir cache && mv ${path} cache && rm -r ledger && mv cache ledger`, { cwd })
      }
      rmSync(join(service.folder, 'runner-2', 'ledger'), { recursive: true })
      for (const shard of shards) service.workplace(`runner-${shard}`, 22)
      const second = await Promise.all(shards.map(runner))
      expect(second.map(({ code, rebuilt }) => [code, rebuilt?.code])).toEqual(
        shards.map((shard) => [0, shard === 2 ? 0 : undefined]),
      )
      expect(await service.stored()).toEqual(namesOf(22))
    } finally {
      await service.close()
    }
  })
})

describe('examples/scale-out/array-job.sh', () => {
  it('runs shards side by side, goes on at 75, and stores each transcript once', async () => {
    const service = await mockService('--fault', 'transcripts.upload: status; code=429; retry-after=3600; times=2')
    try {
      const cwd = service.workplace('work', 20)
      const run = (more = {}) => service.run([at('array-job.sh'), 'transcripts'], cwd, { PAUSE: '0', ...more })
      const first = await run({ SHARDS: '3' })
      expect([first.code, first.err]).toEqual([0, expect.stringContaining('what is stored is not sent again')])
      expect(await service.stored()).toEqual(namesOf(20))

      service.workplace('work', 24)
      expect((await run({ SHARDS: '3' })).code).toBe(0)
      expect(await service.stored()).toEqual(namesOf(24))
    } finally {
      await service.close()
    }
  })

  it('takes its shard from an array job of Slurm, and fails as svc does', async () => {
    const service = await mockService()
    try {
      const cwd = service.workplace('work', 20)
      const task = (id: number, more = {}) =>
        service.run([at('array-job.sh'), 'transcripts'], cwd, {
          ...{ SLURM_ARRAY_TASK_ID: String(id), SLURM_ARRAY_TASK_MIN: '0', SLURM_ARRAY_TASK_COUNT: '3' },
          ...more,
        })
      const codes = await Promise.all([0, 1, 2].map(async (id) => (await task(id)).code))
      expect([codes, await service.stored()]).toEqual([[0, 0, 0], namesOf(20)])
      expect((await task(1, { SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' })).code).toBe(5)
      const local = await service.run([at('array-job.sh'), 'missing'], cwd, { SHARDS: '2' })
      expect(local.code).toBe(3)
    } finally {
      await service.close()
    }
  })
})
