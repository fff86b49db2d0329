import type { TranscriptUpload } from '@svc/client'
import type { Readings } from '@svc/reference-server'
import type { Choices } from './choices.js'
import { SimulatedDisk } from './disk.js'
import { createScheduler, type Scheduler } from './scheduler.js'
import { createService, type Fault, type Service } from './service.js'
import { codeOf, type Ending, isFinal, type Machine, runOnce, type Uploader } from './uploaders.js'

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
export async function runWorld(choices: Choices): Promise<WorldReport> {
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
  const uploaders = drawUploaders(choices)
  const violations: string[] = []
  let runs = 0
  let powerLosses = 0
  const last = new Map<Uploader, Ending>()

  async function supervise(uploader: Uploader): Promise<void> {
    const { machine, name } = uploader
    const supervisor = scheduler.start(`${name} (supervisor)`)
    let after = 0
    for (let number = 1; after < mostRuns; number++) {
      if (!isFaulty()) after++
      runs++
      const ending = await runOnce(scheduler, service, uploader, {
        ...{ number, mayBeKilled },
        mayBeStopped: () => isFaulty() && choices.chance(stopRate),
      })
      last.set(uploader, ending)
      scheduler.note(`${name}.${number}: ended: ${endingText(ending)}`)
      if (isFinal(ending) || (!isFaulty() && isReportedUnknown(ending))) return
      if (ending.ended === 'killed' && choices.chance(0.3)) {
        powerLosses++
        scheduler.note(`${machine.name}: POWER LOST`)
        for (const process of machine.processes.values()) if (!process.isDead) scheduler.kill(process)
        machine.boot++
        machine.disk.losePower()
      }
      if (choices.chance(0.02))
        machine.clockAheadMs += choices.pick([0, -minute, minute, 3 * minute, -3 * minute] as const)
      const pauseMs = choices.pick([minute, 1_000, 10_000] as const)
      await new Promise<void>((resolve) => supervisor.after(pauseMs, resolve))
    }
    violations.push(
      `${name} is not done ${mostRuns} runs after the last fault: ${endingText(last.get(uploader) as Ending)}`,
    )
  }

  try {
    await scheduler.run(Promise.all(uploaders.map(supervise)))
  } catch (error) {
    violations.push(String((error as Error).stack))
  }
  violations.push(...brokenPromises(service, uploaders, last))
  const { trace, kills, elapsed } = scheduler
  return { violations, trace, faults: service.happened, kills, powerLosses, runs, elapsedMs: elapsed }
}

/** Some uploads may be stored, the program says so, and everything else is stored. */
const isReportedUnknown = (ending: Ending): boolean =>
  ending.ended === 'done' &&
  ending.summary.not_sent === 0 &&
  ending.results.every(({ result }) => result === 'uploaded' || result === 'already_uploaded' || result === 'unknown')

const endingText = (ending: Ending): string => {
  if (ending.ended === 'killed') return 'killed'
  const of = ending.results.map((each) => ('error' in each ? `${each.result}: ${codeOf(each.error)}` : each.result))
  return ending.ended === 'failed' ? `${codeOf(ending.error)} after [${of}]` : `done [${of}]`
}

function drawUploaders(choices: Choices): Uploader[] {
  const machine = (name: string): Machine => ({
    name,
    disk: new SimulatedDisk(choices),
    boot: 1,
    processes: new Map(),
    clockAheadMs: choices.pick([0, 2_000, -2_000, minute, -minute] as const, 0.7),
  })
  const first = machine('m1')
  const contents = 1 + choices.oneOf(5, 0.2)
  const transcripts = Array.from({ length: contents }, (_, i) => transcript(i, choices))
  const concurrency = 1 + choices.oneOf(3, 0.3)
  const kind = choices.pick(['alone', 'shards', 'two machines', 'one ledger'] as const, 0.4)
  const base = { transcripts, ledger: '/ledger', concurrency }
  if (kind === 'shards') {
    const of = 2 + choices.oneOf(2)
    return Array.from({ length: of }, (_, index) => ({
      ...base,
      name: `shard ${index + 1}/${of}`,
      machine: first,
      shard: { index, of },
    }))
  }
  const alone = { ...base, name: 'first', machine: first }
  if (kind === 'alone') return [alone]
  return [alone, { ...base, name: 'second', machine: kind === 'one ledger' ? first : machine('m2') }]
}

/** Some transcripts have equal content, and some external ids are equal. */
function transcript(i: number, choices: Choices): TranscriptUpload {
  const same = i > 0 && choices.chance(0.2)
  const content = `content ${same ? i - 1 : i}`
  const hasId = choices.chance(0.3)
  return {
    name: `Transcript ${i}`,
    turns: [
      { role: 'user', content },
      { role: 'assistant', content: 'yes' },
    ],
    ...(hasId && { externalId: `id-${same ? i - 1 : i}` }),
  }
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

const contentOf = ({ turns }: { turns: readonly { content: string }[] }): string => turns[0]?.content ?? ''

/** The promises of design section 7 that do not hold after a world. */
function brokenPromises(
  service: Service,
  uploaders: readonly Uploader[],
  last: ReadonlyMap<Uploader, Ending>,
): string[] {
  const broken: string[] = []
  const wanted = new Map<string, number>()
  const machines = new Set(uploaders.map(({ machine }) => machine))
  for (const { transcripts } of uploaders.filter(({ machine }) => machines.delete(machine))) {
    for (const each of transcripts) wanted.set(contentOf(each), (wanted.get(contentOf(each)) ?? 0) + 1)
  }
  const stored = new Map<string, number>()
  for (const { turns } of service.server.world.transcripts(service.project)) {
    const content = contentOf({ turns })
    stored.set(content, (stored.get(content) ?? 0) + 1)
  }
  for (const [content, count] of wanted) {
    const found = stored.get(content) ?? 0
    if (found > count) broken.push(`"${content}" is stored ${found} times, and wanted ${count} times`)
    const isReportedDone = uploaders.every((each) => isFinal(last.get(each) ?? { ended: 'killed' }))
    if (found < count && isReportedDone)
      broken.push(
        `every program reports that it is done, but "${content}" is stored ${found} times instead of ${count}`,
      )
  }
  return broken
}
