import {
  AmbiguousWriteError,
  ConnectionError,
  InputError,
  isKeyRefusal,
  misconfigurationOf,
  type NextStep,
  nextStep,
  ServiceError,
} from '@svc/client'
import {
  CodedError,
  escapeJson,
  escapeLine,
  escapeLines,
  firstLines,
  firstNames,
  grouped,
  hideSecrets,
  kindOf,
} from '@svc/text'
import { CliError, type ExitCode, exit } from './exit.js'
import type { InputProblem, InputProblemCode } from './input/index.js'
import { type Io, OutputEnded } from './io/index.js'
import { parserError } from './parser-error.js'

export interface ErrorReport {
  kind: string
  message: string
  details: readonly string[]
  hint: string | undefined
}

/** `argv`: the arguments of this run after `svc`, if it can be repeated. Default: none. */
export function reportError(
  io: Io,
  error: unknown,
  code: ExitCode,
  { json, argv }: { json: boolean; argv?: readonly string[] },
): void {
  const { message, details, hint } = describe(error)
  if (json) io.stdout.write(`${escapeJson(errorDocument(error, code, argv))}\n`)
  writeLines(io, message, details, hint)
  if (code === exit.bug && error instanceof Error) io.stderr.write(`${escapeLines(shortStack(error))}\n`)
}

/** The innermost frames of the command, without those of Node, the source line, and the folder of the bundle. */
function shortStack({ name, message, stack = '' }: Error): string {
  const frames = (stack.match(/^ +at .*$/gm) ?? []).filter((frame) => !frame.includes('node:'))
  const short = frames.slice(0, 10).map((frame) => frame.replace(/(\(|^ +at (?:async )?)[^()]*[\\/]/, '$1'))
  return [`${name}: ${message}`, ...short].join('\n')
}

export const errorDocument = (error: unknown, code: ExitCode, argv?: readonly string[]): object => ({
  schema: 'svc/error@1',
  error: errorJson(error, code, argv),
})

/** `argv`: as for `reportError`. */
export function errorJson(error: unknown, exitCode: ExitCode, argv?: readonly string[]): object {
  const { kind, message, details, hint } = describe(error)
  const source = error instanceof CliError || error instanceof CodedError ? error.cause : error
  const { status, requestId } = source instanceof ServiceError ? source : {}
  const next = nextCommand(error, exitCode, argv)?.map((word) => hideSecrets(word, []))
  return { kind, code: causeOf(source) ?? kind, message, details, hint, next, exit: exitCode, status, requestId }
}

/** The one command that follows an error, as its words; undefined if there is none, or if the user must choose one. */
function nextCommand(error: unknown, code: ExitCode, argv?: readonly string[]): readonly string[] | undefined {
  const { next, add, operation, kind } = (error ?? {}) as ErrorFields & Partial<CliError & InputProblem>
  if (next) return next
  const end = argv?.indexOf('--') ?? -1
  if (add && argv) return ['svc', ...argv.toSpliced(end < 0 ? argv.length : end, 0, ...add)]
  if (code === exit.unknownWrite)
    return operation === 'projects.create' ? ['svc', 'projects', 'list'] : ['svc', 'uploads', 'reconcile']
  if (code === exit.temporary || code === exit.interrupted || code === exit.terminated) return argv && ['svc', ...argv]
  return kind === 'authentication' ? ['svc', 'auth', 'status'] : undefined
}

/** The narrowest name of a cause: the type that the service gives, a reason of the client, or a code of the system. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof ServiceError) return error.type
  if (error instanceof ConnectionError) return codeOf(error)
  if (error instanceof InputError) return error.reason
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return typeof code === 'string' ? code : undefined
}

export function writeLines(io: Io, message: string, details: readonly string[], hint: string | undefined): void {
  const lines = [
    `svc: ${escapeLine(message)}`,
    ...details.flatMap((detail) =>
      detail.split('\n').map((line, i) => `${i > 0 ? '      ' : '  '}${escapeLine(line)}`),
    ),
    ...(hint ? [`hint: ${escapeLine(hint)}`] : []),
  ]
  io.stderr.write(`${lines.join('\n')}\n`)
}

/** Write the failures of items to stderr: each reason with the names of its items, and each hint once. */
export function reportFailures(io: Io, failures: readonly { of: string; error: unknown }[]): void {
  const hints = new Set<string>()
  const reasons = grouped(failures, ({ error }) => describe(error).message)
  for (const [message, failed] of reasons) {
    const names = firstNames(failed.map(({ of }) => of))
    io.stderr.write(`svc: ${escapeLine(`${names}: ${message}`)}\n`)
    for (const { error } of failed) {
      const { hint } = describe(error)
      if (hint) hints.add(hint)
    }
  }
  for (const hint of hints) io.stderr.write(`hint: ${escapeLine(hint)}\n`)
}

/** The error of a write; if a signal stopped it, an error that says that it may be stored. */
export function stopped(io: Io, error: unknown): unknown {
  if (!io.signal.aborted) return error
  const message = `Stopped by ${io.signal.reason} during a request: its data may be stored.`
  return new CliError(exitCodeFor(io.signal.reason), message, { hint: searchHint })
}

export const searchHint = 'search for it with `svc transcripts list` or `svc projects list` before you send it again'

interface ErrorFields {
  message?: string
  problem?: string
  kind?: string
  reason?: string
  operation?: string
  status?: number
  body?: unknown
  retryAt?: Date
  violations?: { pointer: string; message: string }[]
}

/** Describe an error, without secrets of any kind, because it may become part of data. */
export function describe(error: unknown): ErrorReport {
  const { kind, message, details, hint } = inWords(error)
  const hide = (text: string) => hideSecrets(text, [])
  return { kind, message: hide(message), details: details.map(hide), hint: hint && hide(hint) }
}

function inWords(error: unknown): ErrorReport {
  if (error === 'SIGINT' || error === 'SIGTERM') {
    return { kind: 'interrupted', message: `Stopped by ${error}.`, details: [], hint: undefined }
  }
  if (error instanceof CliError || error instanceof CodedError) {
    const { message, details, cause } = error
    const hint =
      error.hint ?? (error instanceof CodedError && cause instanceof ServiceError ? hintFor(cause) : undefined)
    const code = exitCodeFor(error)
    const isSame = cause instanceof ServiceError && exitCodeFor(cause) === code
    const kind = isSame ? cause.kind : kindByExit[code]
    return { kind: kind ?? 'cli', message, details, hint }
  }
  const fields = (error ?? {}) as ErrorFields
  const message = (fields.reason && inShell[fields.reason]) ?? fields.problem ?? fields.message ?? String(error)
  const isSuccess = fields.status !== undefined && fields.status >= 200 && fields.status < 300
  const { violations = [] } = fields
  const details = [
    // The message has a single one.
    ...(violations.length > 1 ? violations.map((each) => `${each.pointer} ${each.message}`) : []),
    ...(isSuccess ? faultsOfAnswer(fields.operation, fields.body) : []),
  ]
  return { kind: errorKind(error), message, details, hint: hintFor(error) }
}

const kindByExit: Partial<Record<ExitCode, string>> = {
  [exit.usage]: 'usage',
  [exit.input]: 'input',
  [exit.auth]: 'authentication',
  [exit.notFound]: 'not_found',
  [exit.refused]: 'unexpected',
  [exit.temporary]: 'temporary',
  [exit.unknownWrite]: 'unknown_write',
  [exit.interrupted]: 'interrupted',
  [exit.terminated]: 'interrupted',
}

function errorKind(error: unknown): string {
  if (error instanceof ConnectionError) return 'connection'
  if (error instanceof AmbiguousWriteError) return 'unknown_write'
  const { kind, reason } = (error ?? {}) as ErrorFields
  return kind ?? reason ?? 'bug'
}

/** Messages of the client in terms of the command. */
const inShell: Record<string, string> = {
  missing_key: 'No API key is set.',
  missing_base_url: 'The base URL of the service is not set.',
}

const hintByReason: Record<string, string> = {
  missing_key: '`svc auth login` stores a key from the dashboard, SVC_API_KEY gives one; `svc mock -- sh` needs none',
  missing_base_url:
    'set SVC_BASE_URL and SVC_PUBLIC_BASE_URL, or store them with `svc config set`; `svc mock -- sh` works offline',
  invalid_base_url:
    'begin it with https://, or http:// for this machine, and leave out user and password; `svc config list --show-origin` shows where baseUrl and publicBaseUrl come from',
  invalid_key: 'check the key: `svc auth status` shows where it comes from and whether it is accepted',
  invalid_id: 'list the ids: `svc projects list`, `svc transcripts list`',
}

const hintByKind: Record<string, string> = {
  authentication: 'check the key: `svc auth status` shows where it comes from and whether it is accepted',
  permission:
    'the key is valid but may not do this: it may be revoked, lack a permission, or belong to another workspace',
  not_found: 'check the id and the base URLs; `svc projects list` and `svc transcripts list` show the ids',
  invalid_request: 'correct the fields that the service names; `--debug` shows the requests',
  too_large: 'split the transcript, or remove large tool results',
  not_implemented: 'the service does not offer this yet',
  unexpected: 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL: another server may have answered',
  unavailable: 'the service is unavailable: run the command again later',
}

const healthHint =
  'svc sends no key to /health, which needs none: check SVC_BASE_URL, or whether a proxy asks to sign in'

/** A hint for a 401 or 403 that is not in the form of the service. */
function gatewayHint({ url = '', status }: ServiceError): string {
  const reason = status === 403 ? 'refuse this request or its content' : 'ask to sign in'
  const host = URL.canParse(url) ? new URL(url).host : 'the host'
  return `${host} did not answer as the service does: a firewall, proxy or gateway may ${reason}; \`svc auth status\` shows whether the service accepts the key`
}

/** The hint of an answer whose kind alone would lead to the wrong place. */
function hintOfAnswer({ status, surface, type, kind, url = '' }: ServiceError): string | undefined {
  if (kind === 'not_found' && surface === 'annotation' && url.includes('/public/api/v1'))
    return `404 at ${url.split('?')[0]}: the base URL of surface A (SVC_BASE_URL) usually does not end in /public/api/v1; that is SVC_PUBLIC_BASE_URL`
  if (kind === 'not_found' && surface === 'workspace' && !url.includes('/public/api/v1'))
    return `404 at ${url.split('?')[0]}: the base URL of surface B (SVC_PUBLIC_BASE_URL) usually ends in /public/api/v1`
  // Without a type, another server may have answered.
  if (kind !== 'unexpected' || type === undefined || status < 400) return undefined
  if (status === 402) return 'the service refused: the quota of the workspace is used up (402)'
  return `the service refused the request (${status}); \`--debug\` shows it`
}

/** Rounded up, so that waits that end together give one hint. */
const toSecond = (time: Date): string =>
  new Date(Math.ceil(time.getTime() / 1_000) * 1_000).toISOString().replace('.000', '')

const hintByMisconfiguration = {
  certificate: 'set NODE_EXTRA_CA_CERTS to a file with the authority that signed the certificate',
  protocol: 'correct the scheme or the port of the base URL: a TLS port needs https, any other http',
}

/** The hint of a failed connection. `proxyStatus`: the status with which the proxy refused it. */
export function connectionHint(code: string, proxy?: string, proxyStatus?: number): string | undefined {
  const misconfiguration = misconfigurationOf(code)
  if (misconfiguration) return hintByMisconfiguration[misconfiguration]
  if (proxyStatus === 407) return 'correct the user and password in HTTPS_PROXY'
  return proxy && 'check HTTPS_PROXY, and whether NO_PROXY must name this host'
}

function hintFor(error: unknown): string | undefined {
  if (error instanceof ConnectionError) {
    const ask = error.operation === 'health' ? '' : ': `svc health`'
    const otherwise = `check SVC_BASE_URL and SVC_PUBLIC_BASE_URL, and whether the service is up${ask}`
    const { proxy, proxyStatus } = (error.cause ?? {}) as { proxy?: string; proxyStatus?: number }
    return connectionHint(codeOf(error), proxy, proxyStatus) ?? otherwise
  }
  if (error instanceof AmbiguousWriteError) return searchHint
  const { kind, reason, retryAt } = (error ?? {}) as ErrorFields
  if (error instanceof ServiceError && (error.status === 401 || error.status === 403)) {
    if (error.operation === 'health') return healthHint
    if (!isKeyRefusal(error)) return gatewayHint(error)
  }
  if (reason) return hintByReason[reason]
  if (error instanceof ServiceError) {
    const hint = hintOfAnswer(error)
    if (hint) return hint
  }
  if (kind === 'rate_limited') return retryAt ? `try again after ${toSecond(retryAt)}` : 'try again later'
  return kind ? hintByKind[kind] : 'this is a bug in svc; please report it'
}

export const exitByStep: Record<NextStep, ExitCode> = {
  fix_input: exit.input,
  check_key: exit.auth,
  check_id: exit.notFound,
  fix_request: exit.refused,
  try_later: exit.temporary,
  reconcile: exit.unknownWrite,
  report_bug: exit.bug,
}

const exitByInputCode: Record<InputProblemCode, ExitCode> = {
  conflicting_options: exit.usage,
  credentials_found: exit.input,
  invalid_input: exit.input,
  invalid_pattern: exit.usage,
  missing_input: exit.usage,
  nothing_found: exit.input,
  overwritten_input: exit.usage,
  same_file: exit.usage,
  shared_identity: exit.usage,
  slow_pattern: exit.usage,
  stdin_twice: exit.usage,
  unknown_column: exit.usage,
  unknown_format: exit.usage,
  unreadable: exit.input,
  untrusted_settings: exit.input,
}

/** Exit codes of the errors of libraries by their code; any other is 3. */
const exitByCode: Record<string, ExitCode> = {
  ...exitByInputCode,
  all_refused: exit.auth,
  contradictory_report: exit.notJudged,
  deadline_passed: exit.temporary,
  ended_early: exit.notJudged,
  malformed_answer: exit.refused,
  missing_shard: exit.notJudged,
  not_comparable: exit.notJudged,
  policy_failed: exit.notJudged,
  unknown_annotator: exit.notFound,
  unlisted_annotator: exit.usage,
  ledger_write_failed: exit.bug,
  ledger_rebuild_failed: exit.bug,
  ledger_locked: exit.temporary,
  ledger_lost: exit.temporary,
  list_incomplete: exit.temporary,
  possibly_stored: exit.unknownWrite,
  changed: exit.someFailed,
}

export function exitCodeFor(error: unknown): ExitCode {
  if (error === 'SIGINT') return exit.interrupted
  if (error === 'SIGTERM') return exit.terminated
  if (error instanceof OutputEnded) return error.isReaderGone ? exit.ok : exit.bug
  const usage = parserError(error)
  if (usage) return usage.askedFor ? exit.ok : exit.usage
  if (error instanceof CodedError) return exitByCode[error.code] ?? exit.input
  return error instanceof CliError ? error.exit : exitByStep[nextStep(error)]
}

export const exitCodeOf = ({ error, step }: { error: unknown; step: NextStep | 'stopped' }): ExitCode =>
  step === 'stopped' || step === 'report_bug' ? exitCodeFor(error) : exitByStep[step]

/** The error code of a failed connection; empty if there is none. */
export const codeOf = ({ attempts }: ConnectionError): string => attempts.at(-1)?.cause ?? ''

export class MalformedAnswer extends CliError {
  constructor(faults: readonly string[]) {
    super(exit.refused, `The service sent a malformed answer: ${firstLines(faults).join('; ')}.`, {
      hint: 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL; `svc api` shows the raw answer',
    })
  }
}

export function refuseMalformed(faults: readonly string[]): void {
  if (faults.length > 0) throw new MalformedAnswer(faults)
}

/** The fields of a value that have another type than `wanted`. `at`: the JSON pointer of the value. */
function wrongFields(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (kindOf(value) !== 'an object') return [`${at} expected an object, found ${kindOf(value)}`.trim()]
  return Object.entries(wanted).flatMap(([name, kind]) => {
    const actual = kindOf((value as Record<string, unknown>)[name])
    return actual === kind ? [] : [`${at}/${name} expected ${kind}, found ${actual}`]
  })
}

/** The items of a list, and their fields, that have another type than `wanted`. */
export function wrongItems(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (!Array.isArray(value)) return [`${at} expected a list, found ${kindOf(value)}`]
  return value.flatMap((item, i) => wrongFields(item, `${at}/${i}`, wanted))
}

const ofRecord = (body: unknown) => {
  const faults = wrongFields(body, '', { data: 'an object' })
  return faults.length > 0 ? faults : wrongFields((body as { data: unknown }).data, '/data', { id: 'a text' })
}
const ofList = (name: string) => (body: unknown) => {
  const faults = wrongFields(body, '', { [name]: 'a list' })
  return faults.length > 0 ? faults : wrongItems((body as Record<string, unknown>)[name], `/${name}`, {})
}

/** The checks of the client, by operation. */
const reliedOn: Readonly<Record<string, (body: unknown) => string[]>> = {
  health: (body) => wrongFields(body, '', { status: 'a text' }),
  'annotators.list': ofList('annotators'),
  'projects.list': ofList('data'),
  'transcripts.list': ofList('data'),
  'projects.get': ofRecord,
  'transcripts.get': ofRecord,
}

export const faultsOfAnswer = (operation: string | undefined, body: unknown): string[] =>
  typeof body === 'string' ? [] : (reliedOn[operation ?? '']?.(body) ?? [])
