import type { BulkEnvironment, Owner } from '@svc/bulk'
import type { Clock } from '@svc/client'
import { type Choices, randomOf } from './choices.js'
import { type ProcessDisk, SimulatedDisk } from './disk.js'
import type { Process, Scheduler } from './scheduler.js'
import { start } from './service.js'

/** A machine with a disk, on which processes run one after the other or side by side. */
export interface Machine {
  name: string
  disk: SimulatedDisk
  /** True if the disk is that of a file server, which keeps what was written when the machine is lost. */
  isDiskShared: boolean
  /** Changes with each start. */
  boot: number
  /** By their numbers, which are used again: after a while, and from the first after each start. */
  processes: Map<number, { process: Process; started: string }>
  /** The number of processes that it has started. */
  started: number
  /** True if it shows when it and its processes were started, as Linux does. */
  showsStarts: boolean
  /** How far its wall clock is ahead of that of the service at the start of the world, in milliseconds. */
  clockAheadMs: number
  /** How much faster its clocks run than the time of the world, as a part of it. */
  drift: number
}

/** `shared`: a disk that other machines have, too. */
export const createMachine = (name: string, choices: Choices, clockAheadMs = 0, shared?: SimulatedDisk): Machine => ({
  name,
  disk: shared ?? new SimulatedDisk(choices),
  isDiskShared: shared !== undefined,
  boot: 1,
  processes: new Map(),
  started: 0,
  showsStarts: choices.pick([true, false], 0.8),
  clockAheadMs,
  // A clock that is being corrected by NTP runs at most so much faster or slower.
  drift: choices.pick([0, 0.0005, -0.0005], 0.6),
})

/** A machine loses power: its processes are killed, and its disk keeps what it must. */
export function losePower(scheduler: Scheduler, machine: Machine): void {
  scheduler.note(`${machine.name}: POWER LOST`)
  for (const { process } of machine.processes.values()) if (!process.isDead) scheduler.kill(process)
  machine.processes.clear()
  machine.boot++
  if (!machine.isDiskShared) machine.disk.losePower()
}

/** The environment of a process of a machine, besides the network. */
export interface ProcessEnvironment extends BulkEnvironment {
  disk: ProcessDisk
  clock: Required<Clock>
  process: Process
  machine: Machine
}

/** The numbers of processes. */
const pids = [100, 101, 102, 103, 104, 105]

/** Start a process on a machine. Its ids and random numbers follow from the machine, its number and the time alone. */
export function startProcess(
  scheduler: Scheduler,
  machine: Machine,
  name: string,
  mayBeKilled: () => boolean,
  pauseMs?: () => number,
): ProcessEnvironment {
  const process = scheduler.start(name, mayBeKilled, pauseMs)
  const { processes, showsStarts } = machine
  const number = machine.started++
  const started = String(number)
  const free = pids.filter((each) => processes.get(each)?.process.isDead ?? true)
  const pid = free[number % free.length] ?? 0
  processes.set(pid, { process, started })
  const random = randomOf(seedOf(`${machine.name} ${number} ${scheduler.elapsed}`))
  const { boot } = machine
  const elapsed = () => scheduler.elapsed * (1 + machine.drift)
  const now = () => start + Math.floor(elapsed()) + machine.clockAheadMs
  let ids = 0
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  return {
    process,
    machine,
    disk: machine.disk.of(process, now),
    clock: {
      now,
      monotonic: elapsed,
      random,
      after: (ms, act) => process.after(Math.ceil(ms / (1 + machine.drift)), act),
    },
    host: {
      self: (): Owner => ({
        pid,
        host: machine.name,
        ...(showsStarts && { machine: machine.name, boot: `${machine.name}-${boot}`, started }),
      }),
      process(of) {
        const found = processes.get(of)
        if (!found || found.process.isDead) return undefined
        return { isDead: false, ...(showsStarts && { started: found.started }) }
      },
      time: () => (showsStarts ? { since: `${machine.name}-${boot}`, ms: elapsed() } : undefined),
    },
    randomId: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${String(ids++).padStart(4, '0')}${hex(8)}`,
    turn: () => process.later('turn', () => {}),
  }
}

const seedOf = (text: string): number => [...text].reduce((sum, each) => Math.imul(sum, 31) + each.charCodeAt(0), 7)
