import { grouped } from '@svc/text'

/** The largest probability of a wrong "worse", and of a wrong "better". */
export const significance = 0.05

/** The probability with which a difference is found, for which its size is given. */
const wantedPower = 0.9

/** The quantile of the normal distribution for bounds of 90 %, 5 % on each side. */
const quantile = 1.6448536269514722

const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

const logFactorials = [0]

function logFactorial(n: number): number {
  for (let k = logFactorials.length; k <= n; k++) logFactorials.push((logFactorials[k - 1] ?? 0) + Math.log(k))
  return logFactorials[n] ?? 0
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

const times = (n: number, log: number): number => (n === 0 ? 0 : n * log)

/** P(Bin(n, p) = k). */
export const binomial = (k: number, n: number, p: number): number =>
  Math.exp(logChoose(n, k) + times(k, Math.log(p)) + times(n - k, Math.log1p(-p)))

/** P(Bin(n, p) ≥ least). */
export function binomialTail(least: number, n: number, p: number): number {
  let tail = 0
  for (let k = Math.max(least, 0); k <= n; k++) {
    const chance = binomial(k, n, p)
    tail += chance
    // The chances fall from here on.
    if (k > n * p && chance < tail * 1e-17) break
  }
  return Math.min(1, tail)
}

/**
 * The exact sign-flip test: the probability that the differences add up to at least as much if the sign of each is a coin
 * toss. With differences of 1 and −1 it is the sign test (McNemar's exact test, one-sided).
 */
export function flipTest(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0)
  const observed = sum(differences)
  // Σ±|d| = 2·(the sum of those with a plus) − Σ|d|.
  const all = sum(sizes)
  const needed = (observed + all) / 2
  const chances = new Float64Array(all + 1)
  chances[0] = 1
  let reached = 0
  for (const size of sizes) {
    for (let at = reached; at >= 0; at--) {
      const half = (chances[at] ?? 0) / 2
      chances[at] = half
      chances[at + size] = (chances[at + size] ?? 0) + half
    }
    reached += size
  }
  return Math.min(1, sum(chances.subarray(needed)))
}

const criticalCounts: number[] = []

/** The smallest count of one sign among n at which the sign test finds a difference; n + 1 if none does. */
export function criticalCount(n: number): number {
  const cached = criticalCounts[n]
  if (cached !== undefined) return cached
  let least = n + 1
  for (let tail = 0; least > 0; least--) {
    tail += binomial(least - 1, n, 0.5)
    if (tail > significance) break
  }
  criticalCounts[n] = least
  return least
}

/** The probability that the sign test of n pairs finds the first kind of change more often, by exact enumeration. */
export function powerOf(n: number, chances: { lost: number; gained: number }): number {
  const { lost, gained } = chances
  const changing = lost + gained
  if (changing === 0) return 0
  // What is outside of 9 standard deviations is below the precision of a number.
  const reach = 9 * Math.sqrt(n * changing * (1 - changing)) + 9
  const [from, to] = [Math.max(0, Math.floor(n * changing - reach)), Math.min(n, Math.ceil(n * changing + reach))]
  let power = 0
  for (let changed = from; changed <= to; changed++)
    power += binomial(changed, n, changing) * binomialTail(criticalCount(changed), changed, lost / changing)
  return power
}

/**
 * The smallest drop of the pass rate that n pairs find nine times in ten, to 0.1 points, if as many pairs get better as did;
 * null if no drop is found as often.
 */
export function smallestDrop(n: number, gained: number): number | null {
  const share = (gained + 0.5) / (n + 1)
  const isFound = (drop: number) => powerOf(n, { lost: share + drop, gained: share }) >= wantedPower
  let [low, high] = [0, Math.floor((1 - 2 * share) * 1000)]
  if (high <= 0 || !isFound(high / 1000)) return null
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isFound(middle / 1000)) high = middle
    else low = middle
  }
  return high / 1000
}

/**
 * Bounds of the drop (lost − gained) / n of the pass rate of n pairs, 90 % two-sided: the score interval for a difference of
 * paired proportions (Tango, Statistics in Medicine 17, 1998). `z` is the quantile of the normal distribution.
 */
export function dropBounds(
  n: number,
  { lost, gained }: { lost: number; gained: number },
  z = quantile,
): { least: number; most: number } {
  const score = (drop: number): number => {
    const b = -lost - gained + (2 * n - lost + gained) * drop
    const c = -gained * drop * (1 - drop)
    const share = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n)
    const variance = n * (2 * share + drop * (1 - drop))
    const difference = lost - gained - n * drop
    return variance > 0 ? difference / Math.sqrt(variance) : difference === 0 ? 0 : difference * Number.MAX_VALUE
  }
  /** The drop at which the score, which falls with the drop, is `wanted`. */
  const dropAt = (wanted: number): number => {
    let [low, high] = [-1, 1]
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2
      if (score(middle) > wanted) low = middle
      else high = middle
    }
    return (low + high) / 2
  }
  return { least: dropAt(z), most: dropAt(-z) }
}

export interface Sample {
  fails: number
  n: number
}

/** Fisher's exact test, one-sided: the probability that at least as many of the failures are in `after`. */
export function fisherTest(before: Sample, after: Sample): number {
  const [all, fails] = [before.n + after.n, before.fails + after.fails]
  const chanceOf = (of: number) =>
    Math.exp(logChoose(after.n, of) + logChoose(before.n, fails - of) - logChoose(all, fails))
  const most = Math.min(fails, after.n)
  return Math.min(1, sum(Array.from({ length: most - after.fails + 1 }, (_, at) => chanceOf(after.fails + at))))
}

/** The number of samples of the bootstrap. */
const resamples = 1000

export interface SelfAgreement {
  /** The share of pairs of attempts on one transcript that agree whether it fails. */
  share: number
  /** The bounds of the share, 90 % two-sided, by bootstrap over the transcripts. */
  least: number
  most: number
  /** The number of transcripts with two or more attempts. */
  transcripts: number
}

/** The agreement of repeated attempts; undefined without any. `votes`: the failing attempts of each transcript, of all. */
export function selfAgreement(votes: readonly Sample[]): SelfAgreement | undefined {
  const shares = votes.filter(({ n }) => n > 1).map(({ fails: f, n }) => 1 - (2 * f * (n - f)) / (n * (n - 1)))
  if (shares.length === 0) return undefined
  const random = randomFrom(shares.length)
  const means = Array.from({ length: resamples }, () => {
    let total = 0
    for (let at = 0; at < shares.length; at++) total += shares[Math.floor(random() * shares.length)] ?? 0
    return total / shares.length
  }).sort((a, b) => a - b)
  const tail = resamples * significance
  return {
    share: sum(shares) / shares.length,
    least: means[tail - 1] ?? 0,
    most: means[resamples - tail] ?? 1,
    transcripts: shares.length,
  }
}

/** The chances to fail that are tried for a transcript. */
const triedChances = Array.from({ length: 201 }, (_, at) => at / 200)

/** The rounds after which the shares of these hardly change. */
const rounds = 300

/** P(at least half of n attempts fail), for each of the tried chances. */
const failsBy = (n: number): number[] => triedChances.map((p) => votedDown(n, p))
const votedDown = (n: number, p: number): number => (p === 0 || p === 1 ? p : binomialTail(Math.ceil(n / 2), n, p))

/**
 * The probability that a transcript passes by a vote of `first` attempts and fails by one of `then`, if the annotator is the
 * same. `votes`: the failing attempts of each transcript, of all. The chance of each transcript to fail in one attempt is not
 * known; the distribution of these is the one under which the votes are likeliest, without a shape assumed (Kiefer and
 * Wolfowitz, 1956), found by expectation and maximization from a uniform one.
 */
export function flipChance(votes: readonly Sample[], [first, then]: readonly [first: number, then: number]): number {
  if (votes.length === 0) return 0
  const kinds = [...grouped(votes, ({ fails, n }) => `${fails} ${n}`).values()].map((of) => {
    const { fails, n } = of[0] as Sample
    const likelihoods = triedChances.map((p) => (p === 0 || p === 1 ? Number(fails === p * n) : binomial(fails, n, p)))
    return { times: of.length / votes.length, likelihoods }
  })
  let shares = triedChances.map(() => 1 / triedChances.length)
  for (let round = 0; round < rounds; round++) {
    const next = triedChances.map(() => 0)
    for (const { times, likelihoods } of kinds) {
      const total = sum(shares.map((share, at) => share * (likelihoods[at] ?? 0)))
      for (const [at, share] of shares.entries())
        next[at] = (next[at] ?? 0) + (times * share * (likelihoods[at] ?? 0)) / total
    }
    shares = next
  }
  const [byFirst, byThen] = [failsBy(first), failsBy(then)]
  return sum(shares.map((share, at) => share * (1 - (byFirst[at] ?? 0)) * (byThen[at] ?? 0)))
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
