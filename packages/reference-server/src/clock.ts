/** Where the time comes from: milliseconds since the epoch. A test passes one that it moves by hand. */
export interface Clock {
  now(): number
}

/** The time of the machine; the default. */
export const systemClock: Clock = { now: () => Date.now() }
