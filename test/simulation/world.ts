import { hash } from 'node:crypto'
import { drawAmbiguities, drawMask } from './ambiguities.js'
import type { Choices } from './choices.js'
import { disturb } from './disturbances.js'
import { losePower, type ProcessEnvironment, startProcess } from './machine.js'
import type { Fault } from './network.js'
import type { Ending, Program, Scenario } from './programs/program.js'
import { type ScenarioName, scenarios } from './scenarios.js'
import { createScheduler, type Scheduler } from './scheduler.js'
import { createService } from './service.js'

/** The result of a world. */
export interface WorldReport {
  /** Sentences that do not hold; empty if all is well. */
  violations: string[]
  /** The effects that happened, in order. */
  trace: readonly string[]
  faults: Partial<Record<Fault, number>>
  /** The numbers of other events, by name. */
  events: Readonly<Record<string, number>>
  kills: number
  powerLosses: number
  runs: number
  /** Virtual time until every program was done. */
  elapsedMs: number
  /** Of that, the time after the last fault. */
  afterFaultsMs: number
}

const minute = 60_000
/**
 * Once the faults have ended, every program ends within this virtual time: a disk, a key or the service may come back only
 * after 5 minutes, and a quota may be as small as 10 requests a minute.
 */
const mostAfterFaultsMs = 60 * minute

/** Draw a world, run its programs until all are done, and check what must hold. */
export async function runWorld(choices: Choices, scenario: ScenarioName = 'uploadAll'): Promise<WorldReport> {
  // Faults end, so that progress must follow.
  const rate = choices.pick([0, 0.1, 0.3, 0.6] as const, 0.1)
  const faultyMs = choices.pick([0, 10 * minute, 40 * minute] as const, 0.1)
  const scheduler: Scheduler = createScheduler(choices, () => isFaulty())
  const isFaulty = () => scheduler.elapsed < faultyMs
  const ambiguities = drawAmbiguities(choices)
  const mask = drawMask(choices)
  let serviceAheadMs = () => 0
  const service = createService(scheduler, choices, {
    ...{ ambiguities, mask },
    faultRate: () => (isFaulty() ? rate : 0),
    isDisturbed: isFaulty,
    limits: drawLimits(choices),
    clockAheadMs: () => serviceAheadMs(),
  })
  const stopRate = choices.pick([0, 0.01, 0.05] as const, 0.4)
  const killRate = choices.pick([0, 0.005, 0.02, 0.05] as const, 0.2)
  const mayBeKilled = () => isFaulty() && choices.chance(killRate)
  const drawn: Scenario = scenarios[scenario]({ scheduler, choices, service })
  const { programs, broken } = drawn
  const machines = drawn.machines ?? [...new Set(programs.map(({ machine }) => machine))]
  const mayJumpFar = ambiguities.metadata === 'kept' && mask === 'none'
  const disturbances = disturb({ scheduler, choices, isFaulty, machines, mayJumpFar })
  serviceAheadMs = disturbances.serviceAheadMs
  const violations: string[] = []
  let runs = 0
  const ends = new Map<Program, Ending>()

  /** Run a program once; `killed` is an ending as well. */
  async function runOnce(program: Program, number: number): Promise<{ ending: Ending; isKilled: boolean }> {
    const { name, machine } = program
    const pauseMs = () => {
      if (!program.mayBePaused || !isFaulty() || !choices.chance(0.04)) return 0
      return choices.pick([30 * minute, 90_000, 5 * minute, 20_000] as const, 0.25)
    }
    // Nobody could report a request that is sent late by a process which is killed before its answer.
    const mayDie = () => !own.process.wasPaused && mayBeKilled()
    const own: ProcessEnvironment = startProcess(scheduler, machine, `${name}.${number}`, mayDie, pauseMs)
    const { process } = own
    const stop = new AbortController()
    const mayArrive = () => {
      if (!isFaulty() || !choices.chance(stopRate)) return
      scheduler.note(`${process.name}: SIGTERM`)
      stop.abort('SIGTERM')
    }
    const killed = process.killed.then((): Ending => ({ text: 'killed', state: 'again' }))
    const ended = program.run(own, { signal: stop.signal, mayArrive }).catch((error) => {
      if (process.isDead) return killed
      throw error
    })
    const ending = await Promise.race([ended, killed])
    const isKilled = process.isDead
    scheduler.end(process)
    return { ending, isKilled }
  }

  async function supervise(program: Program): Promise<void> {
    const { name } = program
    const supervisor = scheduler.start(`${name} (supervisor)`)
    for (let number = 1; scheduler.elapsed < faultyMs + mostAfterFaultsMs; number++) {
      runs++
      const { ending, isKilled } = await runOnce(program, number)
      ends.set(program, ending)
      scheduler.note(`${name}.${number}: ended: ${ending.text}`)
      if (ending.state === 'done' || (!isFaulty() && ending.state === 'unknown')) return
      if (isKilled && choices.chance(0.3)) losePower(scheduler, program.machine)
      if (isKilled && program.move && choices.chance(0.5)) program.move()
      const pauseMs = choices.pick([minute, 1_000, 10_000] as const)
      await new Promise<void>((resolve) => supervisor.after(pauseMs, resolve))
    }
    const minutes = mostAfterFaultsMs / minute
    violations.push(
      `a program ends: ${name} is not done ${minutes} minutes after the last fault: ${ends.get(program)?.text}`,
    )
  }

  try {
    await withoutThreads(() => scheduler.run(Promise.all(programs.map(supervise))))
  } catch (error) {
    violations.push(String((error as Error).stack))
  }
  const { trace, kills, elapsed } = scheduler
  const afterFaultsMs = Math.max(0, elapsed - faultyMs)
  for (const each of service.early) violations.push(`the quota is kept: ${each}`)
  violations.push(...(await broken(ends)))
  const events = {
    ...service.events,
    ...disturbances.counts,
    diskFailures: sumOf([...new Set(machines.map(({ disk }) => disk))].map(({ failures }) => failures)),
    pauses: scheduler.pauses,
  }
  const { happened: faults } = service
  const powerLosses = sumOf(machines.map(({ boot }) => boot - 1))
  return { violations, trace, faults, events, kills, powerLosses, runs, elapsedMs: elapsed, afterFaultsMs }
}

/** The engine hashes in a thread, for which virtual time would not wait: meanwhile SHA-256 is computed at once. */
async function withoutThreads<T>(act: () => Promise<T>): Promise<T> {
  const { subtle } = crypto
  const digest: typeof subtle.digest = async (algorithm, data) => {
    if (algorithm !== 'SHA-256') throw new Error(`The simulation does not know ${JSON.stringify(algorithm)}.`)
    return new Uint8Array(hash('sha256', new Uint8Array(data as ArrayBuffer), 'buffer')).buffer
  }
  Object.defineProperty(subtle, 'digest', { value: digest, configurable: true })
  try {
    return await act()
  } finally {
    Reflect.deleteProperty(subtle, 'digest')
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/** The quota of the key (interface: Limits): a window begins with its first request. */
const drawLimits = (choices: Choices) =>
  choices.pick(
    [
      undefined,
      { requests: 20, windowMs: 10_000 },
      { requests: 10, windowMs: minute },
      { requests: 3, windowMs: 1_000 },
    ] as const,
    0.7,
  )
