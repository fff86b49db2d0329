import { CodedError } from '@svc/text'

/** The reasons why a check, a policy or a report is refused. */
export type CheckErrorCode =
  /** A policy, a report or another file is missing, or cannot be read. */
  | 'unreadable_file'
  | 'invalid_policy'
  | 'invalid_report'
  /** A report of a check that ended before it could judge. */
  | 'ended_early'
  /** Reports of different annotators, versions, services or rules. */
  | 'not_comparable'
  /** Reports that judge the same transcript differently. */
  | 'contradicting_reports'
  | 'invalid_baseline'

/** An error of a check, with a code for programs; details and a hint for people. */
export class CheckError extends CodedError<CheckErrorCode> {
  override name = 'CheckError'
}
