import { CodedError } from '@svc/text'

/** The reasons why a check, a policy or a report is refused. */
export type CheckErrorCode =
  /** A policy, a report or another file is missing, or cannot be read. */
  | 'unreadable_file'
  | 'invalid_policy'
  /** A policy is a program, and running it was not allowed. */
  | 'untrusted_policy'
  /** The code of a policy failed outside of a rule, or ended by itself. */
  | 'policy_failed'
  | 'invalid_report'
  /** A report of a check that ended before it could judge. */
  | 'ended_early'
  /** Reports of different annotators, versions, services or rules. */
  | 'not_comparable'
  /** The counts or the verdict of a report do not follow from its cases. */
  | 'contradictory_report'
  /** A shard is missing among the reports of a merge, or there twice. */
  | 'missing_shard'
  | 'invalid_baseline'
  /** Lines of a file of labels that are no labels, or that contradict each other. */
  | 'invalid_labels'
  /** A report without turns, or without judged transcripts, of which a sample is to be drawn. */
  | 'nothing_to_label'
  /** A baseline or a report cannot be written. */
  | 'unwritable_file'
  /** The cache is a file, or its folder cannot be read. */
  | 'unusable_cache'
  /** An option of `check` that cannot be used, or a policy in code that is no plain data. */
  | 'invalid_option'
  /** The service does not know the annotator. */
  | 'unknown_annotator'
  /** The registry does not list the annotator. */
  | 'unlisted_annotator'
  /** The registry does not list the annotator that the policy names. */
  | 'unlisted_in_policy'
  /** A gateway refused all requests at the start of the run. */
  | 'all_refused'
  /** An answer of the service that is not the requested annotation. */
  | 'malformed_answer'
  | 'deadline_passed'
  /** A check that failed or could not judge, of which `assert` was called. */
  | 'not_passed'

/** An error of a check, with a code for programs; details and a hint for people. */
export class CheckError extends CodedError<CheckErrorCode> {
  override name = 'CheckError'
}
