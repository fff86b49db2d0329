/** The bounds of surface B. Characters are Unicode code points; bytes are UTF-8 (interface: Limits › Surface B). */
export const limits = {
  /** Characters of the name of a project or transcript. */
  name: { min: 1, max: 500 },
  /** Turns of one upload. */
  turns: { min: 1, max: 1_000 },
  /** Characters. */
  modelName: { max: 100 },
  /** Characters. */
  language: { max: 10 },
  /** Characters. */
  sourceSystem: { max: 100 },
  /** Characters. */
  externalId: { max: 500 },
  /** Characters. */
  externalUserId: { max: 500 },
  /** Bytes of a turn's content, "up to 1 MB": an error above 2^20, a warning above 10^6. */
  turnBytes: { max: 1_048_576, warn: 1_000_000 },
  /** Bytes of an upload's JSON, "approximately 5 MB": an error above 5 * 2^20, a warning above 4.5 * 10^6. */
  bodyBytes: { max: 5_242_880, warn: 4_500_000 },
  /** Items of a page: `limit`. */
  pageSize: { min: 1, max: 100, default: 20 },
} as const

/** The roles of a turn (interface: Resources › Turn). */
export const roles = ['user', 'assistant', 'system', 'tool', 'human_agent'] as const
