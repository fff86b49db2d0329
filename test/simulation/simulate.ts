import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { replayedChoices, seededChoices } from './choices.js'
import { type ScenarioName, scenarios } from './scenarios.js'
import { shrink } from './shrink.js'
import { runWorld, type WorldReport } from './world.js'

const names = Object.keys(scenarios) as ScenarioName[]

const usage = `Usage: pnpm simulate [--program NAME] [--seeds N | --steps N] [--seed S|random] [--until-violation] [--verbose]

Run programs in worlds that are drawn from seeds, with every fault and crash in virtual time. Exits with 1 if a promise is broken.

  --program NAME      ${names.join(', ')} (default: each of them)
  --seeds N           number of worlds of each program (default: 1000; with --seed 1)
  --steps N           run until so many effects have happened in all
  --seed S            the first seed; \`random\` draws and prints it (default: 1)
  --until-violation   stop at the first, without shrinking it
  --verbose           print the effects of each world
`

interface Options {
  programs: readonly ScenarioName[]
  seeds: number
  steps: number
  seed: number
  isBrief: boolean
  verbose: boolean
}

function optionsOf(): Options {
  try {
    const { values } = parseArgs({
      options: {
        program: { type: 'string' },
        seeds: { type: 'string' },
        steps: { type: 'string' },
        seed: { type: 'string' },
        'until-violation': { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
      },
    })
    const whole = (name: 'seeds' | 'seed' | 'steps', otherwise: number) => {
      const text = values[name]
      if (text === undefined) return otherwise
      if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: expected a whole number, got "${text}".`)
      return Number(text)
    }
    const { program } = values
    if (program !== undefined && !names.includes(program as ScenarioName))
      throw new Error(`--program: expected one of ${names.join(', ')}, got "${program}".`)
    const steps = whole('steps', Number.POSITIVE_INFINITY)
    const manySeeds = values.steps === undefined ? 1_000 : Number.POSITIVE_INFINITY
    return {
      programs: program === undefined ? names : [program as ScenarioName],
      seeds: whole('seeds', values.seed === undefined || values.steps !== undefined ? manySeeds : 1),
      steps,
      seed: values.seed === 'random' ? Math.floor(Math.random() * 1e9) : whole('seed', 1),
      isBrief: values['until-violation'],
      verbose: values.verbose,
    }
  } catch (error) {
    console.error(`simulate: ${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

/** A world of a seed, and its decisions. */
interface Run {
  program: ScenarioName
  seed: number
  made: readonly number[]
  report: WorldReport
}

/** Print the shortest schedule that violates the same promise, and how to repeat it. */
async function printViolation({ program, seed, made, report }: Run): Promise<void> {
  const kind = kindOf(report.violations[0] ?? '')
  const fails = async (each: readonly number[]) =>
    (await runWorld(replayedChoices(each), program)).violations.some((violation) => kindOf(violation) === kind)
  const shortest = await shrink(made, fails)
  const { trace, violations } = await runWorld(replayedChoices(shortest), program)
  console.log(`\nseed ${seed}: ${violations.join('; ')}`)
  for (const line of trace) console.log(`  ${line}`)
  console.log(`  choices: [${shortest}]`)
  console.log(`  repeat it: npx --yes pnpm@12 simulate --program ${program} --seed ${seed}`)
}

/** A violation without its names and numbers. */
const kindOf = (violation: string): string => violation.replace(/"[^"]*"|\d+|[^ ]+\.\d+/g, '…').slice(0, 60)

/** The sums of the worlds of a program. */
const noSum = { worlds: 0, steps: 0, faults: 0, crashes: 0, 'power losses': 0, runs: 0, violations: 0 }
type Sum = typeof noSum

function add(sum: Sum, { trace, faults, kills, powerLosses, runs, violations }: WorldReport): void {
  sum.worlds++
  sum.steps += trace.length
  for (const [fault, count] of Object.entries(faults)) if (fault !== 'none') sum.faults += count
  sum.crashes += kills
  sum['power losses'] += powerLosses
  sum.runs += runs
  if (violations.length > 0) sum.violations++
}

const { programs, seeds, steps, seed: firstSeed, isBrief, verbose } = optionsOf()

async function* runsOf(): AsyncGenerator<Run> {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    for (const program of programs) {
      const choices = seededChoices(seed)
      const report = await runWorld(choices, program)
      yield { program, seed, made: choices.made, report }
    }
  }
}

const sums = new Map(programs.map((program) => [program, { ...noSum }]))
const byFault = new Map<string, number>()
/** Of all effects, to compare runs of equal seeds, such as on two versions of Node. */
const checksum = createHash('sha256')
let slowest: Run | undefined
let taken = 0
let longestAfterFaultsMs = 0
const begun = performance.now()
console.log(`seeds from ${firstSeed}`)
for await (const run of runsOf()) {
  const { program, seed, report } = run
  add(sums.get(program) as Sum, report)
  for (const [fault, count] of Object.entries({ ...report.faults, ...report.events }))
    byFault.set(fault, (byFault.get(fault) ?? 0) + count)
  if (!slowest || report.elapsedMs > slowest.report.elapsedMs) slowest = run
  if (verbose) console.log(`${program}, seed ${seed}\n  ${report.trace.join('\n  ')}`)
  if (report.violations.length > 0) {
    if (isBrief) console.log(`seed ${seed}: ${report.violations[0]}`)
    else await printViolation(run)
    if (isBrief) break
  }
  checksum.update(`${report.trace.join('\n')}\n`)
  longestAfterFaultsMs = Math.max(longestAfterFaultsMs, report.afterFaultsMs)
  taken += report.trace.length
  if (taken >= steps) break
}

const minutes = (performance.now() - begun) / 60_000
console.table(Object.fromEntries(sums))
console.log([...byFault].map(([fault, count]) => `${fault}: ${count}`).join(', '))
const all = [...sums.values()]
const worlds = all.reduce((sum, each) => sum + each.worlds, 0)
console.log(`checksum of all steps: ${checksum.digest('hex').slice(0, 16)}`)
console.log(
  `every program ended within ${Math.ceil(longestAfterFaultsMs / 60_000)} virtual minutes after the last fault`,
)
console.log(`${Math.round(worlds / minutes)} worlds a minute`)
if (slowest) {
  const { program, seed, report } = slowest
  console.log(`the slowest: ${program}, seed ${seed}, ${Math.round(report.elapsedMs / 60_000)} virtual minutes`)
}
process.exitCode = all.some(({ violations }) => violations > 0) ? 1 : 0
