import type { Choices } from './choices.js'

/** Thrown at every effect of a process that was killed, so that none of its code has an effect any more. */
export class Killed extends Error {
  override name = 'Killed'
}

/** An effect of a process on the world outside. `act` resolves when it has happened. */
interface Effect {
  process: Process
  name: string
  pauseMs(): number
  act(): unknown
}

interface Timer {
  process: Process
  /** In milliseconds of virtual time. */
  at: number
  act(): void
}

/** A process of a simulated machine. */
export interface Process {
  readonly name: string
  readonly isDead: boolean
  /** True once it has stood still for a while. */
  readonly wasPaused: boolean
  /** Resolves when it is killed. */
  readonly killed: Promise<void>
  /** An effect that returns at once, at which the process may be killed. */
  now<T>(name: string, act: () => T): T
  /** An effect that happens when the scheduler picks it. */
  later<T>(name: string, act: () => T | Promise<T>): Promise<T>
  /** Call back after `ms` of virtual time. */
  after(ms: number, act: () => void): () => void
}

/** Runs the effects of all processes of a world one after the other, in an order that the choices decide. */
export interface Scheduler {
  /** Milliseconds of virtual time since the start of the world. */
  readonly elapsed: number
  /** The effects that have happened, in order, each with its process. */
  readonly trace: readonly string[]
  /** The number of processes that were killed. */
  readonly kills: number
  /** Of those, the ones that had stood still before. */
  readonly killsAfterPause: number
  /** How often a process stood still. */
  readonly pauses: number
  /**
   * A process. `mayBeKilled`: asked at each of its effects. `pauseMs`: asked before an effect that the scheduler picks; for so
   * long nothing of the process happens, this effect included.
   */
  start(name: string, mayBeKilled?: () => boolean, pauseMs?: () => number): Process
  /** Note something in the trace. */
  note(line: string): void
  /** Kill a process. */
  kill(process: Process): void
  /** A process has ended by itself: nothing that it left behind happens any more. */
  end(process: Process): void
  /** Run until the work is done. Throws if nothing can happen any more, or after too many effects. */
  run<T>(work: Promise<T>): Promise<T>
}

/** More effects mean that a program does not end. */
const mostEffects = 60_000

/** `mayStall`: asked whether time may pass before what could happen at once. */
export function createScheduler(choices: Choices, mayStall: () => boolean): Scheduler {
  const effects: Effect[] = []
  const timers: Timer[] = []
  const trace: string[] = []
  let elapsed = 0
  let kills = 0
  let killsAfterPause = 0
  let pauses = 0

  const ended = new Set<Process>()
  const paused = new Set<Process>()
  const werePaused = new Set<Process>()
  const deaths = new Map<Process, () => void>()

  const note = (line: string) => trace.push(`${String(elapsed).padStart(8)} ms  ${line}`)

  function kill(process: Process): void {
    if (process.isDead) return
    end(process)
    kills++
    if (process.wasPaused) killsAfterPause++
    deaths.get(process)?.()
    note(`${process.name}: KILLED`)
  }

  /** Nothing that a process wanted happens any more. */
  function end(process: Process): void {
    ended.add(process)
    for (const list of [effects, timers]) {
      for (let i = list.length - 1; i >= 0; i--) if (list[i]?.process === process) list.splice(i, 1)
    }
  }

  /** Its timers and effects wait until then. */
  function pause(process: Process, ms: number): void {
    note(`${process.name}: PAUSED`)
    pauses++
    paused.add(process)
    werePaused.add(process)
    awakening.after(ms, () => {
      paused.delete(process)
      note(`${process.name}: wakes up`)
    })
  }

  function start(name: string, mayBeKilled: () => boolean = () => false, pauseMs: () => number = () => 0): Process {
    let die = () => {}
    const killed = new Promise<void>((resolve) => {
      die = resolve
    })
    const process: Process = {
      name,
      get isDead() {
        return ended.has(process)
      },
      get wasPaused() {
        return werePaused.has(process)
      },
      killed,
      now(effect, act) {
        if (!process.isDead && mayBeKilled()) kill(process)
        if (process.isDead) throw new Killed(`${name} is dead`)
        note(`${name}: ${effect}`)
        return act()
      },
      later(effect, act) {
        return new Promise((resolve, reject) => {
          if (process.isDead) return
          effects.push({
            process,
            name: effect,
            pauseMs,
            async act() {
              if (mayBeKilled()) return kill(process)
              note(`${name}: ${effect}`)
              try {
                const result = await act()
                if (!process.isDead && mayBeKilled()) kill(process)
                if (!process.isDead) resolve(result)
              } catch (error) {
                if (!process.isDead) reject(error)
              }
            },
          })
        })
      },
      after(ms, act) {
        const timer = { process, at: elapsed + Math.max(0, ms), act }
        if (!process.isDead) timers.push(timer)
        return () => {
          const at = timers.indexOf(timer)
          if (at >= 0) timers.splice(at, 1)
        }
      },
    }
    deaths.set(process, die)
    return process
  }

  /** The timer that falls due first; of several, the one that was set first. */
  function nextTimer(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) if (!paused.has(timer.process) && (!first || timer.at < first.at)) first = timer
    return first
  }

  async function step(): Promise<void> {
    const timer = nextTimer()
    const ready = paused.size === 0 ? effects : effects.filter(({ process }) => !paused.has(process))
    const isIdle = ready.length === 0
    if (isIdle && !timer) throw new Error('Nothing can happen any more, and a program has not ended.')
    if (!timer || (!isIdle && !(mayStall() && choices.chance(0.02)))) {
      const effect = ready[choices.oneOf(ready.length, 0.7)] as Effect
      const ms = effect.pauseMs()
      if (ms > 0) return pause(effect.process, ms)
      effects.splice(effects.indexOf(effect), 1)
      return void (await effect.act())
    }
    timers.splice(timers.indexOf(timer), 1)
    // That of a process that was paused is overdue.
    elapsed = Math.max(elapsed, timer.at)
    timer.act()
  }

  const awakening = start('pauses')
  return {
    get elapsed() {
      return elapsed
    },
    trace,
    get kills() {
      return kills
    },
    get killsAfterPause() {
      return killsAfterPause
    },
    get pauses() {
      return pauses
    },
    start,
    note,
    kill,
    end,
    async run(work) {
      let isDone = false
      const watched = work.finally(() => {
        isDone = true
      })
      watched.catch(() => {})
      await quiet()
      for (let taken = 0; !isDone; taken++) {
        if (taken > mostEffects) throw new Error(`A program has not ended after ${mostEffects} effects.`)
        await step()
        await quiet()
      }
      return watched
    },
  }
}

/** Resolves when all code that could go on has come to its next effect. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
