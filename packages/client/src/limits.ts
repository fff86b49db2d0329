/** Bounds of surface B's interface ("Limits"). Characters are Unicode code points; bytes are UTF-8. */
export const limits = {
  /** Characters of a project's or transcript's name. */
  name: { min: 1, max: 500 },
  /** Turns of one upload. */
  turns: { min: 1, max: 1_000 },
  modelName: { max: 100 },
  language: { max: 10 },
  sourceSystem: { max: 100 },
  externalId: { max: 500 },
  externalUserId: { max: 500 },
  /** Bytes of a turn's content: "up to 1 MB", refused above 2^20 and warned of above 10^6. */
  turnBytes: { max: 1_048_576, warn: 1_000_000 },
  /** Bytes of an upload's JSON: "approximately 5 MB", refused above 5 * 2^20 and warned of above 4.5 * 10^6. */
  bodyBytes: { max: 5_242_880, warn: 4_500_000 },
  /** Items of a page. */
  pageSize: { min: 1, max: 100, default: 20 },
} as const

/** The roles of a turn. */
export const roles = ['user', 'assistant', 'system', 'tool', 'human_agent'] as const
