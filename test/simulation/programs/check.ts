import { CheckError, type CheckReport, mergeReports, render } from '@svc/checks'
import type { FetchLike } from '@svc/client'
import type { Choices } from '../choices.js'
import { runCommand } from '../io.js'
import { createMachine, type Machine, type ProcessEnvironment } from '../machine.js'
import type { Service } from '../service.js'
import { type Annotating, annotatorId, drawAnnotator } from './annotator.js'
import { type AcceptedResult, brokenCheck, type CheckedTranscript } from './check-promises.js'
import type { DrawScenario, Ending, Program, Stop } from './program.js'

/** A gate, and its input. */
interface Job {
  name: string
  /** The name of the file or folder in `/in`; shards share one. */
  input: string
  /** It judges a part of the transcripts. */
  isShard: boolean
  machine: Machine
  transcripts: CheckedTranscript[]
  isInLines: boolean
  flags: readonly string[]
  attempts: number
  confirmsOnFail: boolean
  isCached: boolean
  /** Accept a baseline first, and hold the transcripts to it afterwards. */
  hasBaseline: boolean
  forms: readonly ReportForm[]
}

type ReportForm = 'json' | 'junit' | 'md' | 'sarif' | 'gitlab'

/**
 * `svc check` until it has a final exit code, then once more: alone, two gates of one machine with one cache, or shards of one
 * input, whose reports are merged.
 */
export const drawChecks: DrawScenario = ({ scheduler, choices, service }) => {
  const annotating = drawAnnotator(service, choices, scheduler)
  const machine = createMachine('m1', choices)
  const broken: string[] = []
  const gate = (job: Job) => gateOf(job, annotating, choices, broken)
  const isOne = !choices.chance(0.2)
  if (isOne) return { programs: [gate(drawJob('first', machine, choices))], broken: () => broken }
  if (choices.chance(0.5)) {
    const jobs = shardsOf(drawJob('first', machine, choices), 2 + choices.oneOf(2, 0.5))
    return { programs: jobs.map(gate), broken: () => [...broken, ...brokenMerge(jobs, annotating)] }
  }
  const programs = ['first', 'second'].map((name) => gate(drawJob(name, machine, choices)))
  return { programs, broken: () => broken }
}

function drawJob(name: string, machine: Machine, choices: Choices): Job {
  const isInLines = choices.chance(0.3)
  const attempts = choices.pick([1, 2, 3] as const, 0.5)
  const confirmsOnFail = attempts > 1 && choices.chance(0.4)
  const isCached = !choices.chance(0.2)
  const forms = (['junit', 'md', 'sarif', 'gitlab'] as const).filter(() => choices.chance(0.3))
  const count = 1 + choices.oneOf(4, 0.2)
  const transcripts = Array.from({ length: count }, (_, i): CheckedTranscript => {
    const content = i > 0 && choices.chance(0.2) ? `content ${i - 1}` : `content ${i}`
    if (isInLines) return { path: `/in/${name}.jsonl`, record: i + 1, content }
    return { path: `/in/${name}/${i}.json`, record: 1, content: choices.chance(0.04) ? undefined : content }
  })
  return {
    ...{ name, input: name, isShard: false },
    ...{ machine, isInLines, transcripts, attempts, confirmsOnFail, isCached, forms: ['json', ...forms] },
    hasBaseline: choices.chance(0.3),
    flags: [
      ...['--annotator', annotatorId, `--concurrency=${1 + choices.oneOf(3, 0.3)}`],
      ...(attempts > 1 ? [`--attempts=${attempts}`] : []),
      ...(confirmsOnFail ? ['--confirm-on-fail'] : []),
      ...(isCached ? ['--cache', '/cache'] : ['--no-cache']),
      ...choices.pick<string[]>([[], ['--deadline=5m'], ['--timeout=5s']], 0.8),
    ],
  }
}

/** The steps of a gate, each until a final exit code. */
type Step = 'accept' | 'check' | 'check again'

/** Gates that share an input, each with the part of a shard. */
const shardsOf = (job: Job, count: number): Job[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ ...job, name: `shard ${index + 1}`, hasBaseline: false, isShard: true },
    flags: [...job.flags, '--shard', `${index + 1}/${count}`],
  }))

/** The promises that a merge of all shards does not keep: each transcript is judged by one of them. */
function brokenMerge(jobs: readonly Job[], { given, listed }: Annotating): string[] {
  const parts = jobs.flatMap(({ name, machine }) => {
    const report = reportOf(machine.disk.texts.get(`/out/${name}/report.json`) ?? '')
    return report && !report.error ? [{ from: name, report }] : []
  })
  const [first, ...others] = parts
  const [job] = jobs
  if (!first || !job || parts.length < jobs.length) return []
  try {
    const report = mergeReports([first, ...others], { expect: jobs.length })
    const { transcripts, attempts, confirmsOnFail } = job
    const run = { report, code: report.exit, transcripts, given, listed, attempts, confirmsOnFail }
    const sent = report.requests.sent
    return brokenCheck({ ...run, accepted: undefined, isUpdate: false, sent, isStopped: false }).map(
      (each) => `merge: ${each}`,
    )
  } catch (error) {
    // The annotator may have a new version since the first shard.
    const details = error instanceof CheckError ? error.details : []
    const isOfVersions = details.length > 0 && details.every((each) => each.startsWith('annotator version'))
    return isOfVersions ? [] : [`merge: the reports of shards can be merged: ${error} ${details.join('; ')}`]
  }
}

function gateOf(job: Job, { service, given, listed }: Annotating, choices: Choices, broken: string[]): Program {
  const { name, machine, transcripts, attempts, confirmsOnFail, forms } = job
  const baseline = `/out/${name}/baseline.json`
  const pathOf = (form: ReportForm) => `/out/${name}/report.${form}`
  /** The texts of reports that a run wrote whole. */
  const whole = new Map(forms.map((form) => [form, new Set<string>()]))
  const baselines = new Set<string>()
  let seen = { boot: machine.boot, failures: machine.disk.failures }
  let step: Step = job.hasBaseline ? 'accept' : 'check'
  let accepted: AcceptedResult[] | undefined
  let acceptedIn = machine.boot
  /** All answers were cached: the boot of the machine and the version of the annotator. */
  let cached: { boot: number; version: string | null } | undefined

  const runOf = (report: CheckReport) => {
    const isUpdate = step === 'accept'
    // Which transcripts are those of a shard is seen when all are merged.
    const isOwn = (each: CheckedTranscript) =>
      report.cases.some(({ path, record }) => path === each.path && record === each.record)
    const own = job.isShard ? transcripts.filter(isOwn) : transcripts
    return { report, transcripts: own, given, attempts, confirmsOnFail, accepted, isUpdate }
  }

  /** "A report file is whole, and of this run or of an earlier one." */
  async function seeFiles(): Promise<void> {
    const { texts } = machine.disk
    const json = texts.get(pathOf('json'))
    const report = json === undefined ? undefined : reportOf(json)
    if (json !== undefined && !report) broken.push(`${name}: a report file is whole: ${json.slice(0, 80)}`)
    // That of a killed run is true as well.
    if (report && !whole.get('json')?.has(json ?? '')) {
      const { exit: code, requests } = report
      const run = { ...runOf(report), code, listed, sent: requests.sent, isStopped: code === 143 }
      broken.push(...brokenCheck(run).map((each) => `${name}: ${each}`))
    }
    for (const form of forms) {
      const text = texts.get(pathOf(form))
      const known = whole.get(form)
      if (text === undefined || known?.has(text)) continue
      const expected = report && [...(await render(report, form, { from: { cwd: '/work', root: '/work' } }))].join('')
      // A loss of power may undo the name of one report and keep that of another, a disk may fail for one of them, and a run that is
      // stopped may be killed while it removes them, the JSON first: then it can only be seen to be whole.
      const isTogether = report !== undefined && seen.boot === machine.boot && seen.failures === machine.disk.failures
      if (text !== expected && (isTogether || !text.endsWith('\n')))
        broken.push(`${name}: a report file is whole, and of this run or of an earlier one: ${form}`)
      known?.add(text)
    }
    seen = { boot: machine.boot, failures: machine.disk.failures }
    const text = texts.get(baseline)
    if (text === undefined || baselines.has(text)) return
    if (step !== 'accept' || !isBaseline(text))
      broken.push(`${name}: a baseline is whole, and changes by an update alone`)
    baselines.add(text)
  }

  async function runOnce(own: ProcessEnvironment, stop: Stop): Promise<Ending> {
    const { process } = own
    await seeFiles()
    if (accepted && !machine.disk.texts.has(baseline)) {
      // A loss of power may undo a folder that was new. A person accepts again.
      if (machine.boot === acceptedIn) broken.push(`${name}: a baseline that was accepted is there`)
      accepted = undefined
      step = 'accept'
    }
    placeInput(job)
    const held =
      step === 'accept' ? ['--baseline', baseline, '--update-baseline'] : accepted ? ['--baseline', baseline] : []
    const path = job.isInLines ? `/in/${job.input}.jsonl` : `/in/${job.input}`
    const reports = forms.flatMap((form) => ['--report', `${form}=${pathOf(form)}`])
    const { counted, sent } = counting(service)
    const listedBefore = listed.length
    const failuresBefore = machine.disk.failures
    let textAtStop: string | undefined
    stop.signal.addEventListener('abort', () => {
      textAtStop = machine.disk.texts.get(pathOf('json'))
    })
    const { code, err } = await runCommand(own, ['check', path, ...job.flags, ...held, ...reports], {
      service: counted,
      stop,
    })
    if (process.isDead) return { text: 'killed', state: 'again' }
    await seeFiles()
    if (machine.disk.failures > failuresBefore && /cannot (write|remove)/.test(err)) {
      // An earlier report may be left: a disk that fails lets nobody remove it.
      if (code === 0) broken.push(`${process.name}: a run whose reports cannot be written does not pass`)
      return { text: `exit ${code}: the disk fails`, state: 'again' }
    }
    const json = machine.disk.texts.get(pathOf('json'))
    const report = json === undefined ? undefined : reportOf(json)
    // After its reports a run is judged: a later stop changes nothing.
    const isStopped = stop.signal.aborted && (textAtStop === undefined || textAtStop !== json)
    if (!report) {
      // A run that is stopped while it writes them leaves none.
      const isNone = code === 143 && isStopped && forms.every((form) => !machine.disk.texts.has(pathOf(form)))
      if (!isNone) broken.push(`${process.name}: reports are written however a run ends: exit ${code} ${err}`)
      return { text: `exit ${code}`, state: 'again' }
    }
    const run = { ...runOf(report), code, listed: listed.slice(listedBefore), sent: sent(), isStopped }
    broken.push(...brokenCheck(run).map((each) => `${process.name}: ${each}`))
    const isUnchanged =
      cached?.boot === machine.boot && listed.slice(listedBefore).every((each) => each === cached?.version)
    if (step === 'check again' && isUnchanged && sent() > 0)
      broken.push(`${process.name}: an unchanged run asks nothing, and this one sent ${sent()}`)
    return { text: `${step}: exit ${code} ${report.line}`, state: next(code, report, err) }
  }

  function next(code: number, report: CheckReport, err: string): Ending['state'] {
    const isFinal =
      code === 0 || code === 100 || (code === 101 && report.cases.every(({ gap }) => !gap || isLasting(gap.why)))
    if (!isFinal) return 'again'
    if (step === 'check again') return 'done'
    if (step === 'accept') {
      if (code !== 0) return 'done'
      accepted = acceptedBy(report)
      acceptedIn = machine.boot
      const inFile = JSON.parse(machine.disk.texts.get(baseline) ?? '{"transcripts":[]}').transcripts
      const outcomes = (all: readonly { outcome: string | null }[]) =>
        all
          .map(({ outcome }) => outcome)
          .sort()
          .join()
      if (outcomes(inFile) !== outcomes(report.cases)) broken.push(`${name}: the baseline accepts each result`)
      changeInput(choices, job)
      step = 'check'
      return 'again'
    }
    const [version = null, ...others] = new Set(report.cases.map(({ annotator_version }) => annotator_version))
    // An attempt that is missing is made up for, although the others decide.
    const areWhole = report.cases.every(
      ({ votes }) => votes.length === attempts || (confirmsOnFail && votes.length > 1),
    )
    const isCached = job.isCached && version !== null && others.length === 0 && areWhole && !err.includes('cache')
    cached = isCached ? { boot: machine.boot, version } : undefined
    step = 'check again'
    return 'again'
  }

  const acceptedBy = ({ cases }: CheckReport): AcceptedResult[] =>
    cases.map(({ path, record, outcome, annotator_version }) => ({
      content: transcripts.find((each) => each.path === path && each.record === record)?.content ?? '',
      outcome: outcome ?? '',
      annotator_version: annotator_version ?? '',
    }))

  return { name, machine, run: runOnce }
}

/** Gaps that the same command would meet again. */
const isLasting = (why: string) => ['unreadable', 'indeterminate', 'unknown outcome', 'not comparable'].includes(why)

function placeInput({ input, machine, transcripts, isInLines }: Job): void {
  const textOf = ({ content }: CheckedTranscript) =>
    content === undefined
      ? 'no transcript'
      : JSON.stringify({
          name: 'T',
          turns: [
            { role: 'user', content },
            { role: 'assistant', content: 'yes' },
          ],
        })
  if (isInLines) machine.disk.place(`/in/${input}.jsonl`, transcripts.map((each) => `${textOf(each)}\n`).join(''))
  else for (const each of transcripts) machine.disk.place(each.path, textOf(each))
}

/** A person may edit a transcript, or add one, after the baseline was accepted. */
function changeInput(choices: Choices, { name, transcripts, isInLines }: Job): void {
  const kind = choices.pick(['none', 'edit', 'add'] as const, 0.4)
  const count = transcripts.length
  const content = `content ${count}, new`
  if (kind === 'edit') transcripts[0] = { ...(transcripts[0] as CheckedTranscript), content }
  if (kind === 'add')
    transcripts.push(
      isInLines
        ? { path: `/in/${name}.jsonl`, record: count + 1, content }
        : { path: `/in/${name}/${count}.json`, record: 1, content },
    )
}

/** The service, and the number of requests for an annotation that can have reached it. */
function counting(service: Service): { counted: Service; sent: () => number } {
  let sent = 0
  const countWith =
    (fetch: FetchLike): FetchLike =>
    (url, init) => {
      if (init.method !== 'POST') return fetch(url, init)
      sent++
      return fetch(url, init).catch((error: unknown) => {
        if (Object(Object(error).cause).code === 'ECONNREFUSED') sent--
        throw error
      })
    }
  return { counted: { ...service, fetchOf: (...of) => countWith(service.fetchOf(...of)) }, sent: () => sent }
}

function reportOf(text: string): CheckReport | undefined {
  try {
    const report = JSON.parse(text)
    return report.schema === 'svc/check@2' && text.endsWith('}\n') ? report : undefined
  } catch {
    return undefined
  }
}

function isBaseline(text: string): boolean {
  try {
    return JSON.parse(text).schema === 'svc/baseline@2'
  } catch {
    return false
  }
}
