import type { Choices } from './choices.js'
import type { Trouble } from './disk.js'
import { losePower, type Machine } from './machine.js'
import type { Scheduler } from './scheduler.js'

const minute = 60_000
const hour = 60 * minute

/** Failures of disks and jumps of clocks, while a world is faulty. */
export interface Disturbances {
  /** The clock of the service: how far it is ahead of the time of the world, in milliseconds. */
  serviceAheadMs(): number
  /** How often a disk began to fail, and a clock jumped. */
  readonly counts: { diskTroubles: number; clockJumps: number }
}

export interface DisturbedWorld {
  scheduler: Scheduler
  choices: Choices
  isFaulty(): boolean
  machines: readonly Machine[]
  /** True if clocks may be wrong by more than ten minutes: an upload whose stamp is not shown in its row is told by its time, too. */
  mayJumpFar: boolean
}

/** Let disks fail for a time, and clocks jump and drift. */
export function disturb({ scheduler, choices, isFaulty, machines, mayJumpFar }: DisturbedWorld): Disturbances {
  const counts = { diskTroubles: 0, clockJumps: 0 }
  const own = scheduler.start('disturbances')
  let jumpedMs = 0
  const drift = choices.pick([0, 0.0005, -0.0005] as const, 0.7)
  const diskRate = choices.pick([0, 0.002, 0.01] as const, 0.5)
  const jumps = choices.pick([0, 5, 20] as const, 0.4)

  function diskTrouble(machine: Machine): void {
    const { name, disk } = machine
    // Nobody could record a request that is sent late.
    const users = machines.filter((each) => each.disk === disk).flatMap(({ processes }) => [...processes.values()])
    if (users.some(({ process }) => process.wasPaused && !process.isDead)) return
    if (diskRate === 0 || disk.failsWith || !isFaulty() || !choices.chance(diskRate)) return
    const trouble = choices.pick(['EIO', 'ENOSPC', 'EROFS'] as const satisfies readonly Trouble[], 0)
    counts.diskTroubles++
    scheduler.note(`${name}: the disk fails with ${trouble}`)
    disk.failsWith = trouble
    // Power and disk often fail together.
    if (choices.chance(0.3)) own.after(choices.pick([1_000, 10, 100] as const), () => losePower(scheduler, machine))
    own.after(choices.pick([1_000, 30_000, 3 * minute] as const), () => {
      disk.failsWith = undefined
      scheduler.note(`${name}: the disk works again`)
    })
  }

  function jump(): void {
    counts.clockJumps++
    const near = [minute, -minute, 3 * minute, -3 * minute] as const
    const far = [...near, 5 * hour, -5 * hour, 24 * 365 * hour] as const
    const byMs = choices.pick(mayJumpFar ? far : near, 0)
    const which = choices.pick([undefined, ...machines] as const)
    scheduler.note(`${which?.name ?? 'service'}: the clock jumps by ${byMs} ms`)
    // Clocks of machines and service are at most ten minutes apart, if it matters.
    const jumped = (ms: number) => (mayJumpFar ? ms + byMs : Math.max(-3 * minute, Math.min(3 * minute, ms + byMs)))
    if (which) which.clockAheadMs = jumped(which.clockAheadMs)
    else jumpedMs = jumped(jumpedMs)
  }

  function jumpLater(left: number): void {
    if (left === 0 || !isFaulty()) return
    own.after(choices.pick([minute, 1_000, 10_000, 5 * minute] as const), () => {
      if (!isFaulty()) return
      jump()
      jumpLater(left - 1)
    })
  }

  for (const machine of machines) machine.disk.beforeUse = () => diskTrouble(machine)
  jumpLater(jumps)
  return { counts, serviceAheadMs: () => Math.floor(scheduler.elapsed * drift) + jumpedMs }
}
