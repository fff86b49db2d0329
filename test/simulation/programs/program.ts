import type { Choices } from '../choices.js'
import type { Machine, ProcessEnvironment } from '../machine.js'
import type { Scheduler } from '../scheduler.js'
import type { Service } from '../service.js'

/** A command that is run again until it has a final end. */
export interface Program {
  name: string
  /** The machine of its next run. */
  readonly machine: Machine
  /** Its machine is lost for good, and it is run on another one. */
  move?(): void
  /** True if its processes may stand still for a while. */
  mayBePaused?: boolean
  /** Run it once, in a process of its own. */
  run(own: ProcessEnvironment, stop: Stop): Promise<Ending>
}

/** A signal to end a run, as SIGTERM does. */
export interface Stop {
  signal: AbortSignal
  /** Called where a signal may arrive. */
  mayArrive(): void
}

/** How one run of a program ended. */
export interface Ending {
  /** For the trace. */
  text: string
  /**
   * `done`: nothing is left to do. `unknown`: all but what the program reports as possibly stored, or as refused for good,
   * which is an end once nothing fails any more. `again`: the same command has to be run again.
   */
  state: 'done' | 'unknown' | 'again'
  /** Its report about each of its transcripts, if all have a final result. */
  reported?: readonly Reported[]
  /** The uploads of earlier runs with an unknown result that it names, because they are not in its input. */
  namedAsLeft?: number
}

/** The final result of one transcript, as a program reports it. */
export interface Reported {
  /** The content, different for each transcript of a world. */
  content: string
  result: 'stored' | 'possibly stored' | 'not stored'
}

/** The programs of a world, and what must hold after them. */
export interface Scenario {
  programs: readonly Program[]
  /** Machines on which they may run. Default: those of the programs. */
  machines?: readonly Machine[]
  /** The promises that do not hold, as sentences. `ends`: the last end of each program. */
  broken(ends: ReadonlyMap<Program, Ending>): string[] | Promise<string[]>
}

/** The parts of a world from which a scenario draws its programs. */
export interface World {
  scheduler: Scheduler
  choices: Choices
  service: Service
}

/** Draws the programs of a world. */
export type DrawScenario = (world: World) => Scenario
