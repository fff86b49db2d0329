/**
 * The exit codes: a promise to every script. `docs/reference/exit-codes.md` is their page. `exitCodeFor` in
 * `errors.ts` decides that of an error, `exitCodeForMany` below that of many items, and `@svc/checks` that of a check.
 */
export const exit = {
  ok: 0,
  bug: 1,
  usage: 2,
  input: 3,
  auth: 4,
  notFound: 5,
  refused: 6,
  someFailed: 8,
  unknownWrite: 10,
  temporary: 75,
  gateFailed: 100,
  notJudged: 101,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exit)[keyof typeof exit]

/** An error for the user of the command: one sentence, details, and the next step. */
export class CliError extends Error {
  override name = 'CliError'
  readonly exit: ExitCode
  /** One line each, as in `conversation.json:3:5 /turns/0/role expected …`. */
  readonly details: readonly string[]
  readonly hint: string | undefined
  /** The command to run next, as its words; undefined if there is none, or if the user must choose one. */
  readonly next: readonly string[] | undefined

  constructor(
    exit: ExitCode,
    message: string,
    more: { details?: string[]; hint?: string; next?: readonly string[] | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.exit = exit
    this.details = more.details ?? []
    this.hint = more.hint
    this.next = more.next
  }
}

/** Reasons that concern no single item: an unusable base URL or certificate, no key, no such project. */
const ofTheRun: ExitCode[] = [exit.input, exit.auth, exit.notFound]

const order: ExitCode[] = [
  exit.interrupted,
  exit.terminated,
  exit.bug,
  exit.auth,
  exit.temporary,
  exit.unknownWrite,
  exit.someFailed,
]

/**
 * The exit code of work on many items: that of a lone item, the code of a failure that all items share, or the first in the
 * promised order that applies.
 */
export function exitCodeForMany(codes: readonly ExitCode[]): ExitCode {
  const [first = exit.ok] = codes
  if (codes.length <= 1 || (ofTheRun.includes(first) && codes.every((code) => code === first))) return first
  if (codes.every((code) => code === exit.ok)) return exit.ok
  return order.find((code) => codes.includes(code)) ?? exit.someFailed
}
