import { CodedError } from '@svc/text'

export type InputProblemCode =
  /** Options that contradict each other, or a value that no option accepts. */
  | 'conflicting_options'
  | 'invalid_pattern'
  | 'missing_input'
  | 'shared_identity'
  | 'slow_pattern'
  | 'unknown_column'
  | 'unknown_format'
  /** A file that would be read or written twice. */
  | 'overwritten_input'
  | 'same_file'
  | 'stdin_twice'
  /** Files that cannot be used. */
  | 'credentials_found'
  | 'invalid_input'
  | 'nothing_found'
  | 'unreadable'
  /** Files that settings without trust concern. */
  | 'untrusted_settings'

/** An input that cannot be found, read or sent, or an option about it that cannot be applied. */
export class InputProblem extends CodedError<InputProblemCode> {
  override readonly name = 'InputProblem'

  /** `add`: arguments with which the same command would read the input. */
  constructor(
    code: InputProblemCode,
    message: string,
    more: ConstructorParameters<typeof CodedError>[2] & { add?: readonly string[] } = {},
  ) {
    super(code, message, more)
    this.add = more.add
  }

  readonly add: readonly string[] | undefined
}
