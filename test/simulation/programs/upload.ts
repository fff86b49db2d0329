import type { TranscriptUpload } from '@svc/client'
import type { Choices } from '../choices.js'
import { runCommand } from '../io.js'
import { createMachine, type Machine, type ProcessEnvironment } from '../machine.js'
import { brokenEntries, brokenStorage } from '../promises.js'
import type { Service } from '../service.js'
import { contentOf, drawTranscripts } from '../transcripts.js'
import type { DrawScenario, Program } from './program.js'
import { afterFailure, endingOf, untrueIn } from './upload-report.js'

/** A command line that is run again until it is done, and its input. */
interface Job {
  name: string
  machine: Machine
  input: Input
  ledger: string
  flags: readonly string[]
  env?: Record<string, string>
  /** Each run is in a container of its own, which cannot see the processes of the others. */
  isContainer?: boolean
}

/** The transcripts of a command. A person may change them between two runs. */
export interface Input {
  form: 'folder' | 'lines' | 'stream'
  transcripts: TranscriptUpload[]
  /** Contents that were there in an earlier run. */
  replaced: TranscriptUpload[]
  mayChange: boolean
}

const minute = 60_000

/**
 * `svc upload`: alone, on two machines with equal transcripts, two processes with one ledger, shards with one folder as an
 * array job runs them, and shards with a folder each as an indexed Job of Kubernetes does.
 */
export const drawUploadCommands: DrawScenario = ({ scheduler, choices, service }) => {
  const jobs = drawJobs(choices)
  const untrue: string[] = []
  const uploaders = jobs.map((job) => uploaderOf(job, { choices, service, untrue }))
  const [first] = jobs
  const programs = first && choices.chance(0.3) ? [...uploaders, readerOf(first, { service, untrue })] : uploaders
  return {
    programs,
    async broken(ends) {
      const areAllDone = programs.every((each) => ends.get(each)?.state === 'done')
      // A run whose results are all known ends with 0 also if the ledger could not be written at its end.
      const hasDiskFailed = jobs.some(({ machine }) => machine.disk.failures > 0)
      const namedAsLeft = Math.max(...programs.map((each) => ends.get(each)?.namedAsLeft ?? 0))
      const wanted = jobs.map(({ machine, ledger, input }) => ({ machine, ledger, ...input }))
      return [
        ...untrue,
        ...brokenStorage(service, wanted, areAllDone),
        ...(await brokenEntries(service, scheduler, wanted, areAllDone && !hasDiskFailed, namedAsLeft)),
      ]
    },
  }
}

function drawJobs(choices: Choices): Job[] {
  const machine = (name: string) =>
    createMachine(name, choices, choices.pick([0, 2_000, -2_000, minute, -minute] as const, 0.7))
  const first = machine('m1')
  const input = drawInput(choices)
  const flags = [`--concurrency=${1 + choices.oneOf(3, 0.3)}`]
  const base = { input, ledger: '/ledger', flags, machine: first }
  const kind = choices.pick(['alone', 'array', 'indexed job', 'two machines', 'one ledger'] as const, 0.4)
  if (kind === 'array' || kind === 'indexed job') {
    const of = 2 + choices.oneOf(2)
    // A shard that is done does not run again.
    input.mayChange = false
    return Array.from({ length: of }, (_, index): Job => {
      const shard = { ...base, name: `shard ${index + 1}/${of}` }
      if (kind === 'array') return { ...shard, flags: [...flags, '--shard', `${index + 1}/${of}`] }
      const env = { JOB_COMPLETION_INDEX: String(index), JOB_COMPLETIONS: String(of) }
      return { ...shard, ledger: `/ledger/${index}`, env, isContainer: true }
    })
  }
  const alone = { ...base, name: 'first', input: { ...input, mayChange: kind === 'alone' } }
  if (kind === 'alone') return [alone]
  if (kind === 'one ledger') return [alone, { ...alone, name: 'second' }]
  return [alone, { ...alone, name: 'second', machine: machine('m2') }]
}

export const drawInput = (choices: Choices): Input => ({
  form: choices.pick(['folder', 'lines', 'stream'] as const, 0.34),
  transcripts: drawTranscripts(choices),
  replaced: [],
  mayChange: true,
})

/** Put the transcripts where a command reads them. Returns its argument, and its standard input. */
export function placeInput({ form, transcripts }: Input, { disk }: Machine): { path: string; stdin?: string[] } {
  const lines = transcripts.map((each) => `${JSON.stringify(each)}\n`)
  if (form === 'stream') return { path: '-', stdin: lines }
  if (form === 'lines') {
    disk.place('/in.jsonl', lines.join(''))
    return { path: '/in.jsonl' }
  }
  for (const [at, line] of lines.entries()) disk.place(`/in/${at}.json`, line)
  return { path: '/in' }
}

/** Edit a transcript, add one, or turn their order round. */
function change(choices: Choices, { transcripts, replaced }: Input): string {
  const kind = choices.pick(['edit', 'add', 'reverse'] as const, 0.34)
  if (kind === 'reverse') transcripts.reverse()
  if (kind === 'add') {
    const [content, count] = [`content ${transcripts.length}, added`, transcripts.length]
    transcripts.push({ name: `Transcript ${count}, added`, turns: [{ role: 'user', content }] })
  }
  const at = choices.oneOf(transcripts.length)
  const old = transcripts[at]
  if (kind !== 'edit' || !old) return kind
  replaced.push(old)
  const [first, ...more] = old.turns
  transcripts[at] = {
    ...old,
    name: `${old.name}, edited`,
    turns: [{ role: 'user', content: `${first?.content}, edited` }, ...more],
  }
  return `edit "${contentOf(old)}"`
}

interface Surroundings {
  choices: Choices
  service: Service
  /** Sentences about reports that are not true. */
  untrue: string[]
}

function uploaderOf(job: Job, { choices, service, untrue }: Surroundings): Program {
  const { name, machine, input, ledger, flags, env = {} } = job
  let runs = 0
  const run: Program['run'] = async (own, stop) => {
    if (runs++ > 0 && input.mayChange && choices.chance(0.05))
      own.process.now(`input: ${change(choices, input)}`, () => {})
    const { path, stdin } = placeInput(input, machine)
    const transcripts = [...input.transcripts]
    const { process, host, ...rest } = job.isContainer ? inContainer(own, ledger) : own
    const argv = ['upload', path, '--json', '--ledger', ledger, ...flags]
    const result = await runCommand({ process, host, ...rest }, argv, { service, stop, env, ...(stdin && { stdin }) })
    const facts = { transcripts, service, isStopped: stop.signal.aborted, hasDiskFailed: machine.disk.failures > 0 }
    const sentences = process.isDead ? [] : untrueIn(result, facts)
    untrue.push(...sentences.map((sentence) => `${process.name}: ${sentence}`))
    return endingOf(result)
  }
  return { name, machine, run: (own, stop) => run(own, stop).catch(afterFailure) }
}

/** `svc uploads list` while others write the ledger, some times. */
function readerOf({ machine, ledger }: Job, { service, untrue }: Pick<Surroundings, 'service' | 'untrue'>): Program {
  let left = 4
  const run: Program['run'] = async (own, stop) => {
    const argv = ['uploads', 'list', '--all', '--json', '--ledger', ledger]
    const { code, documents, err } = await runCommand(own, argv, { service, stop })
    if (own.process.isDead) return { text: 'killed', state: 'again' }
    left--
    if (code !== 0 && !stop.signal.aborted && machine.disk.failures === 0)
      untrue.push(`a ledger can be read while others write it: exit ${code} ${err}`)
    const stored = new Set(service.server.world.transcripts(service.project).map(({ record }) => record.id))
    for (const id of documents.flatMap(({ ids = [] }) => ids as string[]))
      if (!stored.has(id)) untrue.push(`a reader sees what is stored: ${id} is not`)
    return { text: `list: exit ${code}`, state: left > 0 ? 'again' : 'done' }
  }
  return { name: 'reader', machine, run }
}

/**
 * A process in a container: its name and namespace are new ones. As in the example for Kubernetes, it first removes the
 * locks that the container before it left, which has ended.
 */
function inContainer(own: ProcessEnvironment, ledger: string): ProcessEnvironment {
  const { disk, host, process } = own
  const inside = { host: process.name, namespace: process.name }
  disk.makeFolder(ledger)
  for (const name of disk.list(ledger)) if (/\.(lock|held)$/.test(name)) disk.remove(`${ledger}/${name}`)
  return { ...own, host: { ...host, self: () => ({ ...host.self(), ...inside }) } }
}
