import type { Readings } from '@svc/reference-server'
import type { Choices } from './choices.js'
import { losePower, startProcess } from './machine.js'
import type { Ending, Program } from './programs/program.js'
import { type ScenarioName, scenarios } from './scenarios.js'
import { createScheduler, type Scheduler } from './scheduler.js'
import { createService, type Fault } from './service.js'

/** What a world came to. */
export interface WorldReport {
  /** Sentences that do not hold; empty if all is well. */
  violations: string[]
  /** The effects that happened, in order. */
  trace: readonly string[]
  faults: Partial<Record<Fault, number>>
  kills: number
  powerLosses: number
  runs: number
  /** Virtual time until every program was done. */
  elapsedMs: number
}

/** Once the faults have ended, a program is run so often before it counts as one that never ends. */
const mostRuns = 12
const minute = 60_000

/** Draw a world, run its programs until all are done, and check what must hold. */
export async function runWorld(choices: Choices, scenario: ScenarioName = 'uploadAll'): Promise<WorldReport> {
  // Faults end, so that progress must follow.
  const rate = choices.pick([0, 0.1, 0.3, 0.6] as const, 0.1)
  const faultyMs = choices.pick([0, 10 * minute, 40 * minute] as const, 0.1)
  const scheduler: Scheduler = createScheduler(choices, () => isFaulty())
  const isFaulty = () => scheduler.elapsed < faultyMs
  const service = createService(scheduler, choices, {
    readings: drawReadings(choices),
    faultRate: () => (isFaulty() ? rate : 0),
  })
  const stopRate = choices.pick([0, 0.01, 0.05] as const, 0.4)
  const killRate = choices.pick([0, 0.005, 0.02, 0.05] as const, 0.2)
  const mayBeKilled = () => isFaulty() && choices.chance(killRate)
  const { programs, broken } = scenarios[scenario]({ scheduler, choices, service })
  const violations: string[] = []
  let runs = 0
  let powerLosses = 0
  const ends = new Map<Program, Ending>()

  /** Run a program once; `killed` is an ending as well. */
  async function runOnce(program: Program, number: number): Promise<{ ending: Ending; isKilled: boolean }> {
    const { name, machine } = program
    const own = startProcess(scheduler, machine, `${name}.${number}`, mayBeKilled)
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
    const { machine, name } = program
    const supervisor = scheduler.start(`${name} (supervisor)`)
    let after = 0
    for (let number = 1; after < mostRuns; number++) {
      if (!isFaulty()) after++
      runs++
      const { ending, isKilled } = await runOnce(program, number)
      ends.set(program, ending)
      scheduler.note(`${name}.${number}: ended: ${ending.text}`)
      if (ending.state === 'done' || (!isFaulty() && ending.state === 'unknown')) return
      if (isKilled && choices.chance(0.3)) {
        powerLosses++
        losePower(scheduler, machine)
      }
      if (choices.chance(0.02))
        machine.clockAheadMs += choices.pick([0, -minute, minute, 3 * minute, -3 * minute] as const)
      const pauseMs = choices.pick([minute, 1_000, 10_000] as const)
      await new Promise<void>((resolve) => supervisor.after(pauseMs, resolve))
    }
    violations.push(
      `a program ends: ${name} is not done ${mostRuns} runs after the last fault: ${ends.get(program)?.text}`,
    )
  }

  try {
    await scheduler.run(Promise.all(programs.map(supervise)))
  } catch (error) {
    violations.push(String((error as Error).stack))
  }
  violations.push(...broken(ends))
  const { trace, kills, elapsed } = scheduler
  return { violations, trace, faults: service.happened, kills, powerLosses, runs, elapsedMs: elapsed }
}

function drawReadings(choices: Choices): Partial<Readings> {
  const mostly = <const T extends readonly [unknown, ...unknown[]]>(...values: T): T[number] =>
    choices.pick(values as readonly [T[number], ...T[number][]], 0.75)
  const total = mostly('exact', 'none', 'minus one', 'capped', 'low', 'of the page')
  const pagination = mostly('full', 'none', 'text')
  const totalLags = mostly(false, true)
  // A longer lag than `settleMs` is survived if the service shows that it has more than it lists.
  const showsLag = total === 'exact' && pagination === 'full' && !totalLags
  return {
    total,
    pagination,
    totalLags,
    rowFields: mostly('full', 'id', 'names', 'no metadata', 'null metadata', 'empty metadata'),
    metadata: mostly('kept', 'stripped', 'strings', 'flat'),
    pageCap: mostly(0, 10, 25),
    order: mostly('descending', 'ascending', 'unstable'),
    listLagMs: mostly(0, 3_000, 8_000, showsLag ? 200_000 : 14_000),
    filters: mostly('on', 'ignored', 'refused', 'lagging', 'days only'),
    pastEnd: mostly('empty', 404, 400),
    turns: mostly('turns', 'messages', 'none', 'redacted'),
    created: mostly(201, 200, 202, 'empty'),
    dateHeader: mostly(true, false),
    databaseSkewMs: mostly(0, -300_000, 300_000),
    errorBody: mostly('envelope', 'detail', 'message', 'text', 'html'),
  }
}
