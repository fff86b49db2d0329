/** Options that a format may honour. */
export interface ReadOptions {
  /** Keep what the model thought, as `metadata.thinking` of its turn. Default: left out, and counted. */
  thinking?: boolean | undefined
  /** Give the conversations of sub-agents as transcripts of their own. Default: left out, and counted. */
  subagents?: boolean | undefined
  /** Give every branch of a conversation that was edited or asked again. Default: the one that was kept. */
  branches?: boolean | undefined
  /** Which column or field holds what, such as `{ role: 'speaker', content: 'text' }`, for tables. */
  columns?: Record<string, string> | undefined
  /** The present, in milliseconds since 1970: times more than a day after it are left out. Default: no such bound. */
  now?: number | undefined
}
