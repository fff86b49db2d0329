/** An error for a person, with a code for programs. Each library has a class of its own. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code
  /** One line each, as in `conversation.json:3:5 /turns/0/role expected …`. */
  readonly details: readonly string[]
  /** The next step of the caller. */
  readonly hint: string | undefined
  /** The command to run next, as its words; undefined if there is none, or if the caller must choose one. */
  readonly next: readonly string[] | undefined

  constructor(
    code: Code,
    message: string,
    more: { details?: readonly string[]; hint?: string; next?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.details = more.details ?? []
    this.hint = more.hint
    this.next = more.next
  }
}
