import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { mockService, namesOf } from '../../helpers/mock-service.js'
import { missingPrograms, startSlurm, type Task } from './slurm.js'

const script = fileURLToPath(new URL('../../../examples/scale-out/array-job.sh', import.meta.url))
const isMissing = missingPrograms.length > 0
const reason = isMissing ? ' (skipped: no slurm-wlm or munge)' : ''

it.skipIf(isMissing)(
  `array-job.sh uploads each transcript once on Slurm, although tasks are killed${reason}`,
  async () => {
    const service = await mockService(
      ...['--fault', 'transcripts.upload: status; code=429; retry-after=3600; skip=20; times=2'],
      // Stored, but not answered. Two tasks send four at a time: both wait when 66 are stored.
      ...['--fault', 'transcripts.upload: hang-after; skip=60; times=8'],
    )
    const slurm = await startSlurm({ ...service.env, PAUSE: '0' }).catch(async (error) => {
      await service.close()
      throw error
    })
    try {
      const cwd = service.workplace('work', 400)
      const upload = (array: string) =>
        slurm.submit(cwd, `--array=${array}`, script, 'upload', 'transcripts', '8', '--timeout=15s', '--list-lag=1s')
      const numbers = (tasks: readonly Task[]) => tasks.map(({ number }) => number)

      const jobs = [await upload('0-7:2'), await upload('1-7:2')]
      // Between two tasks, one slot is free for a moment.
      const running = await vi.waitFor(async () => {
        expect((await service.stored()).length).toBeGreaterThanOrEqual(66)
        const tasks = (await slurm.tasksOf(jobs)).filter(({ state }) => state === 'RUNNING')
        expect(tasks).toHaveLength(2)
        return tasks
      }, 60_000)
      const [killed = expect.fail(), stopped = expect.fail()] = running
      await slurm.ask('scancel', '--signal=KILL', '--batch', killed.id)
      // SIGTERM, and SIGKILL half a minute later, as when the time of a task is used up.
      await slurm.ask('scancel', stopped.id)

      const tasks = await slurm.ended(jobs)
      expect(numbers(tasks)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      const failed = tasks.filter(({ state }) => state !== 'COMPLETED')
      expect(failed.map(({ id }) => id)).toEqual(running.map(({ id }) => id))
      expect((await service.stored()).length).toBeLessThan(400)
      const logOf = ({ id }: Task) => readFileSync(join(cwd, `task-${id}.log`), 'utf8')
      expect(tasks.map(logOf).join()).toContain('try again after')
      expect(logOf(killed)).not.toContain('Stopping after')
      // The script has waited for the end of svc.
      expect(logOf(stopped)).toMatch(/Stopping after[\s\S]*to continue: svc upload/)

      const again = await slurm.ended([await upload(numbers(failed).join())])
      expect(again.map(({ number, state }) => [number, state])).toEqual(numbers(failed).map((n) => [n, 'COMPLETED']))
      expect(await service.stored()).toEqual(namesOf(400))
    } finally {
      await slurm.close()
      await service.close()
    }
  },
  240_000,
)

it.skipIf(isMissing)(
  `array-job.sh checks on Slurm, and the merge judges all or names the missing shard${reason}`,
  async () => {
    const service = await mockService()
    const slurm = await startSlurm({ ...service.env, PAUSE: '0' }).catch(async (error) => {
      await service.close()
      throw error
    })
    try {
      const cwd = service.workplace('work', 20)
      const flags = ['--annotator', 'structural', '--fail-on', 'none']
      const check = (array: string) =>
        slurm.submit(cwd, `--array=${array}`, script, 'gate', 'transcripts', '4', ...flags)
      const merge = () => service.run(['svc', 'report', 'merge', 'reports/*-of-4.json', '--expect', '4'], cwd)
      const statesOf = async (array: string) => (await slurm.ended([await check(array)])).map(({ state }) => state)

      expect(await statesOf('0-2')).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
      const before = await merge()
      expect([before.code, before.err]).toEqual([101, expect.stringContaining('shard 4 of 4 is missing')])
      expect(await statesOf('3')).toEqual(['COMPLETED'])
      expect(await merge()).toMatchObject({ code: 0, out: expect.stringContaining('20 judged') })
    } finally {
      await slurm.close()
      await service.close()
    }
  },
  240_000,
)
