import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'

const run = promisify(execFile)

/** Daemons may be outside the PATH of a user. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']

/** The programs of Slurm and MUNGE that are not installed. */
export const missingPrograms: readonly string[] = ['sbatch', 'slurmctld', 'slurmd', 'munged'].filter(
  (name) => !folders.some((folder) => existsSync(join(folder, name))),
)

/** A task of an array job. */
export interface Task {
  /** As `scancel` takes it, such as `7_3`. */
  id: string
  number: number
  /** Such as `RUNNING` or `COMPLETED`. */
  state: string
}

const openStates = ['PENDING', 'CONFIGURING', 'RUNNING', 'COMPLETING']

/**
 * A cluster of Slurm for one test: a node that runs two tasks at a time, on loopback, with a key, ports and a folder of its
 * own. Its jobs get the variables.
 */
export async function startSlurm(variables: Record<string, string | undefined>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-slurm-'))
  const at = (name: string) => join(folder, name)
  const { username } = userInfo()
  writeFileSync(at('munge.key-file'), 'No secret: this cluster trusts this machine.', { mode: 0o400 })
  writeFileSync(at('slurm.conf'), configuration(folder, username, await freePorts()))
  // Unlike the plugin for v2, this one touches no control group before it is used, and here it never is.
  writeFileSync(at('cgroup.conf'), 'CgroupPlugin=cgroup/v1\n')
  for (const name of ['state', 'spool']) mkdirSync(at(name))
  const outside = Object.entries(variables).filter(([name]) => !/^(SLURM|SBATCH)_/.test(name))
  const env = {
    ...Object.fromEntries(outside),
    PATH: [variables.PATH, ...folders].join(delimiter),
    SLURM_CONF: at('slurm.conf'),
  }

  const daemons: ChildProcess[] = []
  const start = async (program: string, ...argv: string[]) => {
    const daemon = spawn(program, argv, { cwd: folder, env, stdio: 'ignore' })
    daemons.unshift(daemon)
    await new Promise((resolve, reject) => daemon.once('spawn', resolve).once('error', reject))
  }
  const ask = async (program: string, ...argv: string[]) =>
    (await run(program, argv, { cwd: folder, env, timeout: 30_000 })).stdout.trim()

  async function close() {
    if (daemons.length === 3) {
      await ask('scancel', '--user', username).catch(() => undefined)
      await vi.waitFor(async () => {
        if (await ask('squeue', '--noheader')) throw new Error('Jobs of the cluster still run.')
      }, 30_000)
    }
    for (const daemon of daemons) {
      if (daemon.exitCode === null) await new Promise((resolve) => daemon.once('close', resolve).kill())
    }
    rmSync(folder, { recursive: true })
  }

  try {
    const files = ['key-file', 'socket', 'pid-file', 'log-file', 'seed-file'].map(
      (name) => `--${name}=${at(`munge.${name}`)}`,
    )
    await start('munged', '--foreground', '--force', ...files)
    await start('slurmctld', '-D')
    await start('slurmd', '-D')
    await vi.waitFor(async () => {
      const state = await ask('sinfo', '--noheader', '--format=%T')
      if (state !== 'idle') throw new Error(`The node is ${state}.`)
    }, 30_000)
  } catch (error) {
    const logs = ['munge.log-file', 'slurmctld.log', 'slurmd.log'].filter((name) => existsSync(at(name)))
    const text = logs.map((name) => readFileSync(at(name), 'utf8')).join('\n')
    await close()
    throw new Error(`Slurm does not start: ${String(error)}\n${text}`)
  }

  /** The tasks of array jobs, in the order of their numbers. A job whose tasks have not begun has no numbers. */
  async function tasksOf(jobs: readonly string[]): Promise<Task[]> {
    const records = await Promise.all(jobs.map((job) => ask('scontrol', '--oneliner', 'show', 'job', job)))
    return records
      .flatMap((text) => text.split('\n'))
      .map((line) => {
        const field = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(line)?.[1] ?? ''
        const number = field('ArrayTaskId')
        return { id: `${field('ArrayJobId')}_${number}`, number: Number(number), state: field('JobState') }
      })
      .sort((a, b) => a.number - b.number)
  }

  return {
    version: await ask('sbatch', '--version'),
    ask,
    tasksOf,
    /** Submits a script with its arguments; returns the job. */
    submit: async (cwd: string, ...argv: string[]) =>
      ask('sbatch', '--parsable', `--chdir=${cwd}`, `--output=${join(cwd, 'task-%A_%a.log')}`, ...argv),
    /** The tasks of jobs when all of them have ended. */
    ended: (jobs: readonly string[]) =>
      vi.waitFor(async () => {
        const tasks = await tasksOf(jobs)
        const open = tasks.filter(({ state }) => openStates.includes(state))
        if (open.length > 0) throw new Error(`Tasks still run: ${open.map(({ id, state }) => `${id} ${state}`)}.`)
        return tasks
      }, 120_000),
    close,
  }
}

function configuration(folder: string, user: string, [controllerPort, nodePort]: readonly number[]): string {
  const at = (name: string) => join(folder, name)
  const [host] = hostname().split('.')
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
AuthInfo=socket=${at('munge.socket')}
CredType=cred/munge
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
NodeName=${host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/** Two ports of loopback that nobody listens on. */
async function freePorts(): Promise<number[]> {
  const servers = [createServer(), createServer()]
  const ports: number[] = []
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address === 'object' && address) ports.push(address.port)
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  return ports
}
