import { execSync, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { githubParser } from '../../helpers/github-parser.js'
import { variant } from '../../helpers/long.js'
import { mockServiceOfCalls, namesOf } from '../../helpers/mock-service.js'
import { leaveLock } from './left-lock.js'

const at = (name: string) => fileURLToPath(new URL(`../../../examples/scale-out/${name}`, import.meta.url))
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

/** A temporary failure, and a write whose result client and command cannot search for; so many `lists` come before the search. */
const outage = (lists: number) =>
  [
    'transcripts.upload: status; code=429; retry-after=3600; times=2',
    'transcripts.upload: lost; skip=4; times=1',
    `transcripts.list: status; code=403; skip=${lists}; times=2`,
  ].flatMap((fault) => ['--fault', fault])

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
    // A ledger whose rebuild did not end is neither saved nor named as the pattern says.
    const condition = "always() && steps.upload.outcome != 'skipped'"
    expect([save.with, save.if]).toEqual([{ path: restore?.path, key: restore?.key }, condition])
    expect(restore?.path).toBe('ledger/*.jsonl')
    expect(restore?.key?.startsWith(restore['restore-keys'] ?? 'none')).toBe(true)
  })

  it('uploads each transcript once, continues after 75 and 10, and with a lost or an older ledger', async () => {
    const { shard: shards } = strategy.matrix
    // After the list of a rebuild comes that of the upload which follows it, as soon as nothing is on its way any more: here after 4 s.
    const service = await mockServiceOfCalls(...outage(2))
    try {
      const rebuild = find(({ run }) => run?.includes('svc uploads rebuild')).run ?? ''
      const upload = find(({ run }) => run?.includes('svc upload '))
      const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c']
      const runner = async (shard: number) => {
        const values = { 'matrix.shard': shard, 'strategy.job-total': shards.length }
        const given = Object.entries({ ...upload.env, PAUSE: '0', SVC_LIST_LAG: '1s' }).map(([name, value]) => [
          name,
          String(value).replace(/\$\{\{ (\S+) \}\}/g, (all, key: keyof typeof values) => String(values[key] ?? all)),
        ])
        const cwd = join(service.folder, `runner-${shard}`)
        const rebuilt = await service.run([...shell, rebuild], cwd, Object.fromEntries(given))
        const script = upload.run?.replace('svc upload', 'svc --timeout 3s upload') ?? ''
        return { rebuilt, ...(await service.run([...shell, script], cwd, Object.fromEntries(given))) }
      }
      for (const shard of shards) service.workplace(`runner-${shard}`, 20)
      // The first one meets all that fails.
      const [one = 1, ...more] = shards
      const first = [await runner(one), ...(await Promise.all(more.map(runner)))]
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
      const ledger = join(service.folder, 'runner-3', 'ledger')
      cpSync(ledger, `${ledger}-older`, { recursive: true })
      for (const shard of shards) service.workplace(`runner-${shard}`, 30)
      const second = await Promise.all(shards.map(runner))
      expect(second.map(({ code, rebuilt }) => [code, rebuilt.code])).toEqual(shards.map(() => [0, 0]))
      expect(await service.stored()).toEqual(namesOf(30))

      rmSync(ledger, { recursive: true })
      cpSync(`${ledger}-older`, ledger, { recursive: true })
      const third = await runner(3)
      expect([third.code, third.rebuilt.err]).toEqual([0, expect.stringMatching(/[1-9]\d* added to the ledger/)])
      expect(await service.stored()).toEqual(namesOf(30))
    } finally {
      await service.close()
    }
  })
})

describe('examples/scale-out/queue.sh', () => {
  it('uploads each part once with several machines at a time, one of which was lost, and keeps invalid parts', async () => {
    const service = await mockServiceOfCalls('--fault', 'transcripts.upload: lost; skip=4; times=2')
    try {
      const cwd = service.workplace('queue', 20)
      execSync(
        'mkdir queue && for n in 0 1 2 3; do mkdir "queue/part $n" && mv transcripts/*$n.json "queue/part $n"; done',
        {
          cwd,
          shell: '/bin/sh',
        },
      )
      execSync('mkdir "queue/part 4" && mv transcripts/* "queue/part 4"', { cwd, shell: '/bin/sh' })
      writeFileSync(
        join(cwd, 'queue', 'part 3', 'broken.json'),
        JSON.stringify({ name: 'broken', language: 'x'.repeat(11), turns: [{ role: 'user', content: 'Hi' }] }),
      )
      // A machine was lost while it uploaded a part.
      const upload = ['svc', 'upload', 'queue/part 0/0.json', '--ledger', 'ledgers/part 0']
      expect((await service.run(upload, cwd)).code).toBe(0)
      leaveLock(join(cwd, 'ledgers', 'part 0'))

      const machine = () => service.run([at('queue.sh'), '--lease', '2s'], cwd, { PAUSE: '0', TRIES: '50' })
      const ends = await Promise.all([machine(), machine(), machine()])
      expect(ends.map(({ code }) => code).sort()).toEqual(expect.arrayContaining([8]))
      expect(ends.filter(({ code }) => code !== 0 && code !== 8)).toEqual([])
      expect(await service.stored()).toEqual(namesOf(20))
      expect(['queue', 'done', 'failed'].map((folder) => readdirSync(join(cwd, folder)).sort())).toEqual([
        [],
        ['part 0', 'part 1', 'part 2', 'part 4'],
        ['part 3'],
      ])
    } finally {
      await service.close()
    }
  })

  it('stops at wrong settings, and leaves the parts in the queue', async () => {
    const service = await mockServiceOfCalls()
    try {
      const cwd = service.workplace('queue', 1)
      execSync('mv transcripts queue', { cwd })
      const { code } = await service.run([at('queue.sh')], cwd, {
        SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
      })
      expect([code, readdirSync(join(cwd, 'queue'))]).toEqual([5, ['0.json']])
    } finally {
      await service.close()
    }
  })
})

describe('examples/scale-out/array-job.sh', () => {
  variant('runs shards side by side, continues after 75 and 10, and stores each transcript once', async () => {
    const service = await mockServiceOfCalls(...outage(0))
    try {
      const cwd = service.workplace('work', 20)
      const run = () => service.run([at('array-job.sh'), 'upload', 'transcripts', '3'], cwd, { PAUSE: '0' })
      const first = await run()
      expect([first.code, first.err]).toEqual([0, expect.stringContaining('what is stored is not sent again')])
      expect(first.err).toContain('may be stored')
      expect(await service.stored()).toEqual(namesOf(20))

      service.workplace('work', 24)
      expect((await run()).code).toBe(0)
      expect(await service.stored()).toEqual(namesOf(24))
    } finally {
      await service.close()
    }
  })

  variant('ends with 10 after its last try if the result of a write stays unknown', async () => {
    const faults = ['transcripts.upload: lost; times=1', 'transcripts.list: status; code=403; times=9']
    const service = await mockServiceOfCalls(...faults.flatMap((fault) => ['--fault', fault]))
    try {
      const cwd = service.workplace('work', 1)
      const run = { PAUSE: '0', TRIES: '3' }
      const { code, err } = await service.run([at('array-job.sh'), 'upload', 'transcripts', '1'], cwd, run)
      expect([code, err.match(/may be stored/g)?.length]).toEqual([10, 3])
    } finally {
      await service.close()
    }
  })

  it('keeps the shards of an array job of Slurm when only some tasks run again, and fails as svc does', async () => {
    const service = await mockServiceOfCalls()
    try {
      const cwd = service.workplace('work', 40)
      // Runs each task with the variables that Slurm sets for an array of these ids.
      const job = (ids: number[], more = {}) =>
        Promise.all(
          ids.map((id) =>
            service.run([at('array-job.sh'), 'upload', 'transcripts', '5'], cwd, {
              SLURM_ARRAY_TASK_ID: String(id),
              SLURM_ARRAY_TASK_MIN: String(Math.min(...ids)),
              SLURM_ARRAY_TASK_MAX: String(Math.max(...ids)),
              SLURM_ARRAY_TASK_COUNT: String(ids.length),
              ...more,
            }),
          ),
        )
      const codes = async (...run: Parameters<typeof job>) => (await job(...run)).map(({ code }) => code)
      expect(await codes([0, 2, 3])).toEqual([0, 0, 0])
      const some = await service.stored()
      expect(await codes([1, 4], { SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' })).toEqual([5, 5])
      expect(await codes([1])).toEqual([0])
      expect((await service.stored()).length).toBeGreaterThan(some.length)
      expect(await codes([4])).toEqual([0])
      expect(await service.stored()).toEqual(namesOf(40))
    } finally {
      await service.close()
    }
  })

  it.each([
    [['upload', 'transcripts'], {}, 'usage: array-job.sh upload|gate|annotate|check PATH|LIST SHARDS [FLAG...]'],
    [['transcripts', '4', '4'], {}, 'unknown command: transcripts'],
    [['upload', 'transcripts', 'many'], {}, 'SHARDS is not a number of shards: many'],
    [
      ['upload', 'transcripts', '4'],
      { SLURM_ARRAY_TASK_ID: '4' },
      'task 4 has no shard: 4 shards are the tasks 0 to 3',
    ],
  ])('refuses the arguments %j with %j before it uploads', (argv, env, message) => {
    const { status, stderr } = spawnSync(at('array-job.sh'), argv, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  variant('fails as svc does when it runs on one machine', async () => {
    const service = await mockServiceOfCalls()
    try {
      const { code } = await service.run([at('array-job.sh'), 'upload', 'missing', '2'], service.workplace('work', 1))
      expect(code).toBe(3)
    } finally {
      await service.close()
    }
  })
})
