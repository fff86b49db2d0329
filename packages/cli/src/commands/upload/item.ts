import type {
  InvalidUpload,
  PreparedUpload,
  ReadyUpload,
  SkippedUpload,
  UnsendableUpload,
  UploadItem,
  UploadPlan,
} from '@svc/bulk'
import type { Loss } from '@svc/transcripts'
import type { LocatedViolation, Source } from '../../input/index.js'

/** The facts of a transcript that the command keeps beside its upload. */
export interface Tag {
  source: Source
  /** Its place among the transcripts of its source, from 0. */
  place: number
  format: string
  losses: readonly Loss[]
  /** Personal data or credentials in it were replaced. */
  isRedacted: boolean
  /** The flags that would let it be sent, if it is invalid. */
  hint: string | undefined
}

export type Item = UploadItem<Tag>
export type Prepared = PreparedUpload<Tag, LocatedViolation>
/** An upload as the run takes it. */
export type Ready = ReadyUpload<Tag> | UnsendableUpload<Tag> | SkippedUpload<Tag>
export type Invalid = InvalidUpload<Tag, LocatedViolation>
export type Plan = UploadPlan<Tag, LocatedViolation>
