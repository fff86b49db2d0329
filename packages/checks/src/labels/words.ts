export const labelWords = ['good', 'bad', 'unsure'] as const
/** What a person says about a transcript, and not about its verdict. */
export type LabelWord = (typeof labelWords)[number]

/** The part of a sample that a transcript was drawn for. */
export interface DrawnFrom {
  /** The verdict of the transcripts that it was drawn from. */
  name: 'failed' | 'passed'
  /** The id of the sample. */
  of: string
  /** The number of transcripts with this verdict in the report, equal ones counted once. */
  total: number
  /** The number of those in the sample. */
  drawn: number
}

/** A sample on its page: the content of each transcript, and the part that it was drawn for. */
export interface EmbeddedSample {
  id: string
  cases: readonly { sha256: string; stratum: DrawnFrom }[]
}

export const sampleBlock = 'sample'
