/** The parts of the gate that the property test draws. */
export const landed = {
  /** Rules that exit or never settle: they need a worker, or they end the test itself. */
  codePolicies: false,
  /** `svc check --shard i/n` and `svc report merge --expect n`. */
  shards: true,
  /** Negative token counts are malformed. */
  negativeTokens: true,
  /** A policy behind a dangling link is refused. */
  linkedPolicy: false,
}
