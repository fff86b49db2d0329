import {
  ContractError,
  type ContractErrorCode,
  type ContractKeys,
  type ContractOptions,
  type ContractResult,
  compareContracts,
  contract,
  contractPage,
  contractText,
  createdText,
  driftText,
  planContract,
} from '@svc/reference-server/contract'
import { escapeLine, escapeLines } from '@svc/text'
import { type Command, Option } from 'commander'
import { checkBaseUrl, formsOf, strayKey, transportFor } from '../config/index.js'
import { agrees, type Context, whyNotAsk } from '../context.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { refuseUnwritableFile, writeOut } from '../io/index.js'
import { documentOf, startProgress } from '../output/index.js'
import { isProjectId, notAProjectId } from '../project.js'
import { deliverDocument, type FileTarget, refuseShared, refuseUnwritable } from '../reports.js'
import { readSavedService } from '../saved-service.js'
import { contractKeyVariables, namesOf, surfaces } from '../settings.js'
import { writeWarning } from '../terminal.js'
import { type Action, examples, type SetAction } from './action.js'
import { duration } from './arguments.js'
import { formTargets } from './flags.js'

const forms = ['html'] as const

interface ContractFlags {
  only?: 'annotation' | 'workspace'
  annotations: boolean
  createProjects?: boolean
  sizes?: boolean
  project?: string
  maxLag?: number
  save?: string
  against?: string
  report?: readonly FileTarget<(typeof forms)[number]>[]
  yes?: boolean
}

const tryContract: Action<[], ContractFlags> = async (context, _, flags) => {
  const { io, say } = context
  const { report = [], save, against } = flags
  await refuseShared(context, report, [
    ...(save === undefined ? [] : [{ what: '--save', path: save }]),
    ...(against === undefined ? [] : [{ what: '--against', path: against, isRead: true as const }]),
  ])
  await refuseUnwritable(context, report)
  if (save !== undefined) await refuseUnwritableFile(io, 'the saved service', save)
  const before = against === undefined ? undefined : await readSavedService(io, against)
  const options = await optionsOf(context, flags)
  const plan = await planned(() => planContract(options))
  const places = surfaces.flatMap((surface) =>
    options.only === undefined || options.only === surface ? (options[namesOf[surface].baseUrl] ?? []) : [],
  )
  const announced = [
    `svc contract sends some hundred requests to ${places.join(' and ')}`,
    `it creates at most ${createdText(plan)}, which may be billed; nothing can be deleted again`,
  ]
  if (flags.yes) for (const line of announced) say(line)
  else await confirm(context, announced)
  const result = await measured(context, { ...options, most: plan })
  if (save !== undefined) await writeOut(io, 'the saved service', save, [`${JSON.stringify(result, null, 2)}\n`])
  const drift = before && compareContracts(before, result)
  const document = documentOf('svc/contract@1', { ...result, ...(drift && { drift }) })
  const text = drift ? driftText(drift) : contractText(result)
  const show = async () => io.stdout.write(escapeLines(text))
  return deliverDocument(
    context,
    document,
    report,
    async () => [contractPage(result)],
    show,
    drift && codes[drift.verdict],
  )
}

const codes = {
  same: exit.ok,
  different: exit.gateFailed,
  'not judged': exit.notJudged,
} as const satisfies Record<string, ExitCode>

const exitByCode: Record<ContractErrorCode, ExitCode> = {
  input: exit.input,
  authentication: exit.auth,
  permission: exit.auth,
  not_the_service: exit.refused,
  unavailable: exit.temporary,
}

async function planned<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new CliError(exitByCode[cause.code], cause.message, { hint: cause.hint, cause })
  }
}

/** The addresses and keys of the settings, and the keys of other kinds from the environment. */
async function optionsOf(context: Context, flags: ContractFlags): Promise<Omit<ContractOptions, 'fetch'>> {
  const { io, keys: hidden } = context
  const { only, annotations, createProjects = false, sizes = false, project, maxLag } = flags
  if (project !== undefined && !isProjectId(project)) throw notAProjectId(exit.usage, `Not a project id: "${project}".`)
  const settings = await context.settings()
  const keys: Partial<ContractKeys> = {}
  for (const surface of surfaces) {
    const key = settings[namesOf[surface].key]?.value
    if (key) keys[surface] = key
    const stray = strayKey(settings, surface)
    if (stray) writeWarning(io, stray)
  }
  for (const [name, { variable }] of Object.entries(contractKeyVariables)) {
    const key = io.env[variable]
    if (!key) continue
    for (const form of formsOf(key)) hidden.add(form)
    keys[name as keyof ContractKeys] = key
  }
  const bases: Pick<ContractOptions, 'baseUrl' | 'publicBaseUrl'> = {}
  for (const surface of surfaces) {
    const name = namesOf[surface].baseUrl
    const value = settings[name]?.value
    if (value === undefined) continue
    if (only === undefined || only === surface) checkBaseUrl(name, value)
    bases[name] = value
  }
  if (only === undefined ? Object.keys(bases).length === 0 : bases[namesOf[only].baseUrl] === undefined)
    throw new CliError(exit.input, 'The base URL of the service is not set.', {
      hint: 'set SVC_BASE_URL and SVC_PUBLIC_BASE_URL, or store them with `svc config set`',
    })
  return {
    ...bases,
    ...(only && { only }),
    keys,
    annotations,
    createProjects,
    sizes,
    ...(project !== undefined && { project }),
    ...(maxLag !== undefined && { maxLagMs: maxLag }),
    ...(context.flags.maxWait !== undefined && { maxWaitMs: context.flags.maxWait }),
  }
}

/** The question says what will be created, also with `--quiet`. */
async function confirm(context: Context, announced: readonly string[]): Promise<void> {
  for (const line of announced) context.io.stderr.write(`${escapeLine(line)}\n`)
  const obstacle = whyNotAsk(context)
  if (obstacle) throw new CliError(exit.usage, `Cannot ask for a confirmation: ${obstacle}.`, { hint: 'add --yes' })
  if (await agrees(context, 'Continue?')) return
  throw new CliError(exit.input, 'Nothing was sent.', { hint: 'answer y, or add --yes' })
}

/** The time limit of one request: an annotation may take minutes. */
const attemptMs = 240_000

async function measured(context: Context, options: Omit<ContractOptions, 'fetch'>): Promise<ContractResult> {
  const { io, flags } = context
  const transport = io.fetch ? undefined : transportFor(io)
  const send = io.fetch ?? transport?.fetch
  if (!send) throw new Error('There is no fetch.')
  const progress = await startProgress(context, 'trying')
  try {
    const fetch: ContractOptions['fetch'] = async (url, init) => {
      const limit = AbortSignal.timeout(flags.timeout ?? attemptMs)
      const { status, headers, body } = await send(url, { ...init, signal: AbortSignal.any([init.signal, limit]) })
      return new Response(body as BodyInit | null, { status, headers: [...headers] })
    }
    const onStep: ContractOptions['onStep'] = ({ number, of }) =>
      progress.update(() => ({ done: number - 1, total: of, what: 'step' }))
    const onProject: ContractOptions['onProject'] = ({ id, isNew }) =>
      context.say(`${isNew ? 'created' : 'using'} the project ${id}; --project ${id} uses it again`)
    const given = { fetch, onStep, onProject, signal: io.stop, ...(io.clock && { clock: io.clock }) }
    return await planned(() => contract({ ...options, ...given }))
  } finally {
    progress.stop()
    await transport?.close()
  }
}

export function contractCommand(command: Command, setAction: SetAction): void {
  command
    .addOption(new Option('--only <surface>', 'try one surface only').choices(['annotation', 'workspace']))
    .option('--no-annotations', 'send nothing that may be billed as an annotation or analysis')
    .option('--create-projects', 'also try the rules that create a project each')
    .option('--sizes', 'also try the sizes that the interface names, up to 5 MB')
    .option('--project <id>', 'project to use (default: the one named "svc contract", created if missing)')
    .option('--max-lag <duration>', 'longest time to wait until a list shows a record (default: 60s)', duration)
    .option('--save <file>', 'save the result, for --against and svc mock --like')
    .option('--against <file>', 'compare with a saved result: 0 same, 100 different, 101 could not judge')
    .option('--report <format=file>', 'write the result as a page: html=FILE', formTargets(forms))
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Tries the rules of the interface on the service, and sees how it reads what the interface leaves
open. All transcripts go to one project, which every run uses again; other projects are never
written to. Rules that need a further key are tried if one of these variables is set:

${Object.values(contractKeyVariables)
  .map(({ variable, meaning }) => `- ${variable}: ${meaning}`)
  .join('\n')}
${examples(
  'svc contract --save service.json',
  'svc contract --only workspace --yes --report html=contract.html',
  'svc contract --against service.json --yes',
  'svc mock --like service.json -- ./ci.sh',
)}`,
    )
  setAction(command, tryContract)
}
