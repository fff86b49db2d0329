import type { Choices } from '../choices.js'
import { type CommandResult, runCommand } from '../io.js'
import { createMachine, type ProcessEnvironment } from '../machine.js'
import { brokenEntries, brokenStorage } from '../promises.js'
import type { Service } from '../service.js'
import { contentOf } from '../transcripts.js'
import type { DrawScenario, Ending, Program, Stop } from './program.js'
import { drawInput, type Input, placeInput } from './upload.js'
import { afterFailure, endingOf, untrueIn } from './upload-report.js'

const minute = 60_000
const ledger = '/ledger'

/**
 * A person who uploads, and deals with unknown results: searches for them again, sends those again that are not stored, or
 * has lost the ledger and rebuilds it.
 */
export const drawUploadsCommands: DrawScenario = ({ scheduler, choices, service }) => {
  const machine = createMachine('m1', choices)
  const input = { ...drawInput(choices), mayChange: false }
  const untrue: string[] = []
  const person = createPerson({ choices, service, input, untrue })
  const program: Program = { name: 'person', machine, run: person.run }
  return {
    programs: [program],
    async broken(ends) {
      const isDone = ends.get(program)?.state === 'done'
      const wanted = [{ machine, ledger, ...input }]
      // A rebuilt ledger only looks like the lost one.
      const isWhole = !person.hasLostLedger()
      return [
        ...untrue,
        ...brokenStorage(service, wanted, isDone),
        ...(isWhole ? await brokenEntries(service, scheduler, wanted, isDone && machine.disk.failures === 0) : []),
      ]
    },
  }
}

interface Surroundings {
  choices: Choices
  service: Service
  input: Input
  /** Sentences about reports that are not true. */
  untrue: string[]
}

/** The next command of a person. A killed one is run again. */
type Step = 'upload' | 'reconcile' | 'retry' | 'lose the ledger' | 'rebuild'

function createPerson({ choices, service, input, untrue }: Surroundings) {
  const mayLose = choices.chance(0.4)
  const mayRetry = choices.chance(0.5)
  let step: Step = 'upload'
  let hasLost = false
  /** Searched for and looked at, and it stays unknown. */
  let isSettled = false
  /** Rebuilds that added nothing, of a list that is not complete. */
  let fruitless = 0

  /** Time in which uploads under way arrive, and a list shows them, or that it does not show all yet. */
  const wait = ({ process }: ProcessEnvironment, ms: number) => new Promise<void>((resume) => process.after(ms, resume))

  async function upload(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    const { path, stdin } = placeInput(input, own.machine)
    const argv = ['upload', path, '--json', '--ledger', ledger]
    const result = await runCommand(own, argv, { service, stop, ...(stdin && { stdin }) })
    const hasDiskFailed = own.machine.disk.failures > 0
    const { transcripts } = input
    tell(own, untrueIn(result, { transcripts, service, isStopped: stop.signal.aborted, hasDiskFailed }))
    const ending = endingOf(result)
    if (mayLose && !hasLost && choices.chance(0.3)) step = 'lose the ledger'
    else if (result.code === 10 && !isSettled) step = 'reconcile'
    const isLast = step === 'upload'
    return { ...ending, state: isLast ? ending.state : 'again' }
  }

  async function reconcile(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    const result = await runCommand(own, ['uploads', 'reconcile', '--json', '--ledger', ledger], { service, stop })
    const { code } = result
    if (code === 0) step = 'upload'
    if (code === 10) step = mayRetry ? 'retry' : 'upload'
    // Without a stamp, after a rebuild, there is nothing to search for.
    const hasNone = code === 0 && result.documents.every(({ schema }) => schema !== 'svc/upload-reconciled@1')
    isSettled = (code === 10 && !mayRetry) || hasNone
    if (code === 0 || code === 10) tell(own, untrueReconciled(result, service))
    return { text: `reconcile: exit ${code}`, state: 'again' }
  }

  /** Send the unknown ones again that the service does not have, as a person can see who looks at its pages. */
  async function retry(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    await wait(own, choices.pick([80_000, 5 * minute] as const))
    const list = ['uploads', 'list', '--state', 'unknown', '--all', '--json', '--ledger', ledger]
    const { code, documents } = await runCommand(own, list, { service, stop })
    if (code !== 0) return { text: `list: exit ${code}`, state: 'again' }
    const missing = missingOf(input, service)
    const keys: string[] = []
    for (const { key, name } of documents as { key: string; name: string }[]) {
      const content = contentOf(input.transcripts.find((each) => each.name === name) ?? { turns: [] })
      const left = missing.get(content) ?? 0
      if (left > 0) keys.push(key)
      missing.set(content, left - 1)
    }
    if (keys.length === 0) {
      isSettled = true
      step = 'upload'
      return { text: 'nothing to retry', state: 'again' }
    }
    const retried = await runCommand(own, ['uploads', 'retry', ...keys, '--ledger', ledger], { service, stop })
    if (retried.code === 0) step = 'upload'
    return { text: `retry: exit ${retried.code}`, state: 'again' }
  }

  async function loseLedger(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    const { disk } = own
    hasLost = true
    disk.makeFolder(ledger)
    for (const name of disk.list(ledger)) disk.remove(`${ledger}/${name}`)
    disk.syncFolder(ledger)
    step = 'rebuild'
    isSettled = false
    return rebuild(own, stop)
  }

  /** 0 and 10 mean that the list was complete, so that the next upload sends nothing that is stored. */
  async function rebuild(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    // Without a wait, the next upload reads the project again before it sends anything.
    const waitedMs = choices.pick([0, 80_000, 5 * minute] as const)
    await wait(own, waitedMs)
    const result = await runCommand(own, ['uploads', 'rebuild', '--json', '--ledger', ledger], { service, stop })
    const { code } = result
    const [rebuilt] = result.documents
    const { length } = service.server.world.transcripts(service.project)
    const isWhole = code === 0 || code === 10
    if (waitedMs > 0 && isWhole && !own.process.isDead && service.ofOthers.size === 0 && rebuilt?.seen !== length)
      untrue.push(`a rebuild with exit ${code} has seen all ${length} transcripts, not ${rebuilt?.seen}`)
    // Some services cannot prove that a list is complete. A person compares its length with the page of the project.
    const isAgain = rebuilt?.complete === false && rebuilt.added === 0
    if (isWhole || (isAgain && rebuilt.seen === length)) step = 'upload'
    else if (isAgain) fruitless++
    // A list that is never seen whole: the person does not upload again.
    const state = step === 'rebuild' && fruitless >= 5 ? 'unknown' : 'again'
    return { text: `rebuild: exit ${code} ${JSON.stringify(result.documents)}`, state }
  }

  function tell({ process }: ProcessEnvironment, sentences: readonly string[]): void {
    if (!process.isDead) untrue.push(...sentences.map((sentence) => `${process.name}: ${sentence}`))
  }

  const steps = { upload, reconcile, retry, 'lose the ledger': loseLedger, rebuild }
  const run: Program['run'] = (own, stop) => steps[step](own, stop).catch(afterFailure)
  return { run, hasLostLedger: () => hasLost }
}

/** How many of each content are not stored. */
function missingOf({ transcripts }: Input, service: Service): Map<string, number> {
  const missing = new Map<string, number>()
  for (const each of transcripts) missing.set(contentOf(each), (missing.get(contentOf(each)) ?? 0) + 1)
  for (const each of service.server.world.transcripts(service.project))
    missing.set(contentOf(each), (missing.get(contentOf(each)) ?? 0) - 1)
  return missing
}

/** `svc uploads reconcile --json`: "found once: done; … else unknown" (docs/concepts/ledger.md); 10 "while one stays unknown", or a transcript ambiguous. */
function untrueReconciled({ code, documents }: CommandResult, service: Service): string[] {
  const stored = new Set(service.server.world.transcripts(service.project).map(({ record }) => record.id))
  const items = documents.filter(({ schema }) => schema === 'svc/upload-reconciled@1')
  const unknown = items.filter(({ result }) => result === 'unknown' || result === 'open')
  const summary = documents.find(({ schema }) => schema === 'svc/reconcile-summary@1')
  const left = unknown.length + Number(summary?.ambiguous ?? 0)
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [String(id)]))
  return [
    ...ids.filter((id) => !stored.has(id)).map((id) => `reports are true: ${id} is reported as stored`),
    ...(new Set(ids).size < ids.length ? [`reports are true: two items are reconciled with one id: ${ids}`] : []),
    ...((code === 10) === left > 0 ? [] : [`the exit code is true: ${code} with ${left} unknown or ambiguous`]),
  ]
}
