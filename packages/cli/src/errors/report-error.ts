import { AmbiguousWriteError, ConnectionError, type ErrorKind, InputError, ServiceError } from '@svc/client'
import { CliError, type ExitCode, exit } from '../exit.js'
import { grouped } from '../grouped.js'
import type { Io } from '../io/index.js'
import { parserError } from '../parser-error.js'
import { firstNames, hideSecrets, inert, inertJson, inertLines } from '../terminal/index.js'
import { faultsOfAnswer } from './malformed-answer.js'

/** An error as it is told: a sentence, its details line by line, and what to do next. */
export interface ErrorReport {
  kind: string
  message: string
  details: readonly string[]
  hint: string | undefined
}

/** Tells an error on stderr; with `--json` also as the one document on stdout. */
export function reportError(io: Io, error: unknown, code: ExitCode, json: boolean): void {
  const { message, details, hint } = describe(error)
  if (json) io.stdout.write(`${inertJson(errorDocument(error, code))}\n`)
  writeLines(io, message, details, hint)
  if (code === exit.bug && error instanceof Error) io.stderr.write(`${inertLines(String(error.stack))}\n`)
}

/** An error as a JSON document. */
export function errorDocument(error: unknown, code: ExitCode): object {
  const { kind, message, details, hint } = describe(error)
  return { schema: 'svc/error@1', error: { kind, message, details, hint, exit: code } }
}

/** Says what is wrong on stderr: a sentence, its details line by line, and what to do next. */
export function writeLines(io: Io, message: string, details: readonly string[], hint: string | undefined): void {
  const lines = [
    `svc: ${inert(message)}`,
    ...details.flatMap((detail) => detail.split('\n').map((line, i) => `${i > 0 ? '      ' : '  '}${inert(line)}`)),
    ...(hint ? [`hint: ${inert(hint)}`] : []),
  ]
  io.stderr.write(`${lines.join('\n')}\n`)
}

/** Tells the failures of single items, each reason with the names of those that it befell, and each next step once. */
export function reportFailures(io: Io, failures: readonly { of: string; error: unknown }[]): void {
  const hints = new Set<string>()
  const reasons = grouped(failures, ({ error }) => describe(error).message)
  for (const [message, befallen] of reasons) {
    const names = firstNames(befallen.map(({ of }) => of))
    const many = befallen.length > 1 ? `${befallen.length} of them fail: ` : ''
    io.stderr.write(`svc: ${inert(`${many}${names}: ${message}`)}\n`)
    for (const { error } of befallen) {
      const { hint } = describe(error)
      if (hint) hints.add(hint)
    }
  }
  for (const hint of hints) io.stderr.write(`hint: ${inert(hint)}\n`)
}

/** An error of a write; where it was stopped under way, one that says that it may be stored all the same. */
export function stopped(io: Io, error: unknown): unknown {
  if (!io.signal.aborted) return error
  const message = `Stopped by ${io.signal.reason} while a request was under way; it may be stored.`
  return new CliError(exitCodeFor(io.signal.reason), message, { hint: searchHint })
}

/** What to do before a write of unknown fate is sent again. */
export const searchHint = 'look for it with `svc transcripts list` or `svc projects list` before sending it again'

interface Known {
  message?: string
  kind?: string
  reason?: string
  operation?: string
  status?: number
  body?: unknown
  retryAt?: Date
  violations?: { pointer: string; message: string }[]
}

/** An error in words, without secrets: it may become part of data, in which only the configured keys are hidden. */
export function describe(error: unknown): ErrorReport {
  const { kind, message, details, hint } = inWords(error)
  const hide = (text: string) => hideSecrets(text, [])
  return { kind, message: hide(message), details: details.map(hide), hint: hint && hide(hint) }
}

function inWords(error: unknown): ErrorReport {
  if (error === 'SIGINT' || error === 'SIGTERM') {
    return { kind: 'interrupted', message: `Stopped by ${error}.`, details: [], hint: undefined }
  }
  if (error instanceof CliError) {
    return { kind: kindByExit[error.exit] ?? 'cli', message: error.message, details: error.details, hint: error.hint }
  }
  const known = (error ?? {}) as Known
  const isOfOption = known.reason === 'invalid_base_url' || known.operation === 'nodeTransport'
  const own = isOfOption ? forShell(known.message ?? '') : known.message
  const message = (known.reason && inShell[known.reason]) ?? own ?? String(error)
  const isSuccess = known.status !== undefined && known.status >= 200 && known.status < 300
  const details = [
    ...(known.violations ?? []).map((each) => `${each.pointer} ${each.message}`),
    ...(isSuccess ? faultsOfAnswer(known.operation, known.body) : []),
  ]
  return { kind: kindOf(error), message, details, hint: hintFor(error) }
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

function kindOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'connection'
  if (error instanceof AmbiguousWriteError) return 'unknown_write'
  const { kind, reason } = (error ?? {}) as Known
  return kind ?? reason ?? 'bug'
}

/** What the client says of a base URL, without the options of its own that could mend it: no flag gives them. */
export const forShell = (message: string): string =>
  message.replace(/^(createClient|nodeTransport): /, '').replace(/; (use|give) .*/s, '.')

/** What the client says in terms of its options, said in terms of a shell. */
const inShell: Record<string, string> = {
  missing_key: 'No API key is set.',
  missing_base_url: 'The address of the service is not set.',
}

const hintByReason: Record<string, string> = {
  missing_key:
    '`svc auth login` stores a key from the dashboard, SVC_API_KEY gives one; `svc mock -- sh` works without',
  missing_base_url:
    'set SVC_BASE_URL and SVC_PUBLIC_BASE_URL, or store them with `svc config set`; `svc mock -- sh` works offline',
  invalid_base_url:
    'give https, or http to this machine, without user and password; `svc config list --show-origin` shows where baseUrl and publicBaseUrl come from',
  invalid_key: 'check the key: `svc auth status` shows where it comes from and whether it is taken',
  invalid_id: 'the lists show the ids: `svc projects list`, `svc transcripts list`',
}

const hintByKind: Record<string, string> = {
  authentication: 'check the key: `svc auth status` shows where it comes from and whether it is taken',
  permission:
    'the key is valid but may not do this: it may be revoked, lack a permission, or belong to another workspace',
  not_found: 'check the id and the base URLs; `svc projects list` and `svc transcripts list` show the ids',
  invalid_request: 'correct what the service names; `--debug` shows the requests',
  too_large: 'split the transcript, or leave large tool results out',
  not_implemented: 'the service does not offer this yet',
  unexpected: 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL: what answered is not the service, or not there',
  unavailable: 'the service has trouble of its own: run it again later',
}

/** Rounded up, so that waits that end together are one. */
const toSecond = (time: Date): string =>
  new Date(Math.ceil(time.getTime() / 1_000) * 1_000).toISOString().replace('.000', '')

/** What to do where no connection stood, by the code of the reason; undefined where the base URLs come first. */
export function connectionHint(code: string, proxy: string | undefined): string | undefined {
  if (untrusted.test(code)) return 'set NODE_EXTRA_CA_CERTS to a file with the authority that signed the certificate'
  if (code === 'ERR_TLS_HANDSHAKE') return 'the port may not speak TLS: correct the port or the scheme of the base URL'
  if (proxy?.endsWith(' 407')) return 'correct the user and password in HTTPS_PROXY'
  return proxy && 'check HTTPS_PROXY, and whether NO_PROXY has to name this host'
}

function hintFor(error: unknown): string | undefined {
  if (error instanceof ConnectionError) {
    const ask = error.operation === 'health' ? '' : ': `svc health`'
    const otherwise = `check SVC_BASE_URL and SVC_PUBLIC_BASE_URL, and whether the service is up${ask}`
    const { proxy } = (error.cause ?? {}) as { proxy?: string }
    return connectionHint(codeOf(error), proxy) ?? otherwise
  }
  if (error instanceof AmbiguousWriteError) return searchHint
  const { kind, reason, retryAt } = (error ?? {}) as Known
  if (reason) return hintByReason[reason]
  if (kind === 'rate_limited') return retryAt ? `try again after ${toSecond(retryAt)}` : 'try again later'
  return kind ? hintByKind[kind] : 'this is a bug in svc; please report it'
}

const byKind: Partial<Record<ErrorKind, ExitCode>> = {
  authentication: exit.auth,
  permission: exit.auth,
  not_found: exit.notFound,
  rate_limited: exit.temporary,
  unavailable: exit.temporary,
}

/** Codes of a certificate that is not trusted. */
export const untrusted = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/

const isWrongAddress = (code: string): boolean => code === 'ERR_TLS_HANDSHAKE' || untrusted.test(code)

/** The exit code that an error means. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error === 'SIGINT') return exit.interrupted
  if (error === 'SIGTERM') return exit.terminated
  const usage = parserError(error)
  if (usage) return usage.askedFor ? exit.ok : exit.usage
  if (error instanceof CliError) return error.exit
  if (error instanceof InputError) return isOfKey(error) ? exit.auth : exit.input
  if (error instanceof ServiceError) return byKind[error.kind] ?? exit.refused
  if (error instanceof ConnectionError) return isWrongAddress(codeOf(error)) ? exit.input : exit.temporary
  return error instanceof AmbiguousWriteError ? exit.unknownWrite : exit.bug
}

const isOfKey = ({ reason }: InputError): boolean => reason === 'missing_key' || reason === 'invalid_key'

/** The code of the reason why a connection failed; empty where it gave none. */
export const codeOf = ({ attempts }: ConnectionError): string => attempts.at(-1)?.cause ?? ''
