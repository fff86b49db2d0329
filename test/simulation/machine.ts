import type { BulkEnvironment, Owner } from '@svc/bulk'
import type { Clock } from '@svc/client'
import { type Choices, randomOf } from './choices.js'
import { SimulatedDisk } from './disk.js'
import type { Process, Scheduler } from './scheduler.js'
import { start } from './service.js'

/** A machine with a disk, on which processes run one after the other or side by side. */
export interface Machine {
  name: string
  disk: SimulatedDisk
  /** Changes with each start. */
  boot: number
  processes: Map<number, Process>
  /** How far its wall clock is ahead of that of the service, in milliseconds. */
  clockAheadMs: number
}

export const createMachine = (name: string, choices: Choices, clockAheadMs = 0): Machine => ({
  name,
  disk: new SimulatedDisk(choices),
  boot: 1,
  processes: new Map(),
  clockAheadMs,
})

/** A machine loses power: its processes are killed, and its disk keeps what it must. */
export function losePower(scheduler: Scheduler, machine: Machine): void {
  scheduler.note(`${machine.name}: POWER LOST`)
  for (const process of machine.processes.values()) if (!process.isDead) scheduler.kill(process)
  machine.boot++
  machine.disk.losePower()
}

/** What a process of a machine has of the world, besides the network. */
export interface ProcessEnvironment extends BulkEnvironment {
  clock: Required<Clock>
  process: Process
  machine: Machine
}

/** Start a process on a machine. Its ids and random numbers follow from the machine, its number and the time alone. */
export function startProcess(
  scheduler: Scheduler,
  machine: Machine,
  name: string,
  mayBeKilled: () => boolean,
): ProcessEnvironment {
  const process = scheduler.start(name, mayBeKilled)
  const pid = 100 + machine.processes.size
  machine.processes.set(pid, process)
  const random = randomOf(seedOf(`${machine.name} ${pid} ${scheduler.elapsed}`))
  const owner = (of: number): Owner => ({
    pid: of,
    host: machine.name,
    boot: String(machine.boot),
    started: String(of),
  })
  const now = () => start + scheduler.elapsed + machine.clockAheadMs
  let ids = 0
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  return {
    process,
    machine,
    disk: machine.disk.of(process, now),
    clock: {
      now,
      monotonic: () => scheduler.elapsed,
      random,
      after: (ms, act) => process.after(ms, act),
    },
    host: {
      self: () => owner(pid),
      process: (of) => {
        const found = machine.processes.get(of)
        return found && !found.isDead ? { started: String(of), isDead: false } : undefined
      },
    },
    randomId: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${String(ids++).padStart(4, '0')}${hex(8)}`,
    turn: () => process.later('turn', () => {}),
  }
}

const seedOf = (text: string): number => [...text].reduce((sum, each) => Math.imul(sum, 31) + each.charCodeAt(0), 7)
