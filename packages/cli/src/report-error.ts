import { CliError, type ExitCode, exit } from './exit.js'
import type { Io } from './io.js'
import { parserError } from './parser-error.js'
import { inert } from './text.js'

/** An error as it is told: a sentence, its details line by line, and what to do next. */
export interface Told {
  kind: string
  message: string
  details: readonly string[]
  hint: string | undefined
}

/** Tells an error on stderr; with `--json` also as the one document on stdout. */
export function reportError(io: Io, error: unknown, code: ExitCode, json: boolean): void {
  const { kind, message, details, hint } = tell(error)
  if (json) io.stdout.write(`${JSON.stringify({ error: { kind, message, details, hint, exit: code } })}\n`)
  const lines = [
    `svc: ${inert(message)}`,
    ...details.flatMap((detail) => detail.split('\n').map((line, i) => `${i > 0 ? '      ' : '  '}${inert(line)}`)),
    ...(hint ? [`hint: ${inert(hint)}`] : []),
  ]
  io.stderr.write(`${lines.join('\n')}\n`)
  if (code === exit.bug && error instanceof Error) io.stderr.write(`${error.stack}\n`)
}

interface Known {
  name?: string
  message?: string
  kind?: string
  reason?: string
  retryAt?: Date
  violations?: { pointer: string; message: string }[]
  attempts?: readonly unknown[]
}

export function tell(error: unknown): Told {
  if (error === 'SIGINT' || error === 'SIGTERM') {
    return { kind: 'interrupted', message: `Stopped by ${error}.`, details: [], hint: undefined }
  }
  if (error instanceof CliError) {
    return { kind: 'cli', message: error.message, details: error.details, hint: error.hint }
  }
  const usage = parserError(error)
  if (usage) return { kind: 'usage', message: usage.message, details: [], hint: usage.hint }
  const known = (error ?? {}) as Known
  const message = (known.reason && inShell[known.reason]) ?? known.message ?? String(error)
  const details = (known.violations ?? []).map((each) => `${each.pointer} ${each.message}`)
  return {
    kind: known.kind ?? known.reason ?? kindByName[known.name ?? ''] ?? 'bug',
    message,
    details,
    hint: hintFor(known),
  }
}

/** What the client says in terms of its options, said in terms of a shell. */
const inShell: Record<string, string> = {
  missing_key: 'No API key is set.',
  missing_base_url: 'The address of the service is not set.',
}

const kindByName: Record<string, string> = { ConnectionError: 'connection', AmbiguousWriteError: 'unknown_write' }

function hintFor({ name, kind, reason, retryAt }: Known): string | undefined {
  if (reason === 'missing_key')
    return 'set SVC_API_KEY to a key from the dashboard, or try `svc mock -- sh` to work without one'
  if (reason === 'missing_base_url')
    return 'set SVC_BASE_URL and SVC_PUBLIC_BASE_URL, or try `svc mock -- sh` to work offline'
  if (name === 'ConnectionError')
    return 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL, and whether the service is up: `svc health`'
  if (name === 'AmbiguousWriteError')
    return 'look for it with `svc transcripts list` or `svc projects list` before sending it again'
  if (kind === 'authentication')
    return 'check the key in SVC_API_KEY (or SVC_ANNOTATION_API_KEY, SVC_WORKSPACE_API_KEY)'
  if (kind === 'permission')
    return 'the key is valid but may not do this: it may be revoked, lack a permission, or belong to another workspace'
  if (kind === 'rate_limited' && retryAt) return `try again after ${retryAt.toISOString()}`
  return name === undefined || name === 'Error' || name === 'TypeError'
    ? 'this is a bug in svc; please report it'
    : undefined
}
