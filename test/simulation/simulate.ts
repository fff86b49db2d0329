import { parseArgs } from 'node:util'
import { replayedChoices, seededChoices } from './choices.js'
import { faults } from './service.js'
import { shrink } from './shrink.js'
import { runWorld, type WorldReport } from './world.js'

const usage = `Usage: pnpm simulate [--seeds N] [--seed S] [--until-violation] [--verbose]

Run bulk uploads in worlds that are drawn from seeds, with every fault and crash in virtual time.

  --seeds N   number of worlds (default: 1000)
  --seed S    the first seed (default: 1)
  --until-violation   stop at the first, without shrinking it
  --verbose   print the effects of each world
`

interface Options {
  seeds: number
  seed: number
  isBrief: boolean
  verbose: boolean
}

function optionsOf(): Options {
  try {
    const { values } = parseArgs({
      options: {
        seeds: { type: 'string' },
        seed: { type: 'string' },
        'until-violation': { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
      },
    })
    const whole = (name: 'seeds' | 'seed', otherwise: number) => {
      const text = values[name] ?? String(otherwise)
      if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: expected a whole number, got "${text}".`)
      return Number(text)
    }
    return {
      seeds: whole('seeds', values.seed === undefined ? 1_000 : 1),
      seed: whole('seed', 1),
      isBrief: values['until-violation'],
      verbose: values.verbose,
    }
  } catch (error) {
    console.error(`simulate: ${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

/** Print the shortest schedule that violates the same promise, and how to repeat it. */
async function printViolation(seed: number, made: readonly number[], [first = '']: readonly string[]): Promise<void> {
  const kind = kindOf(first)
  const fails = async (each: readonly number[]) =>
    (await runWorld(replayedChoices(each))).violations.some((violation) => kindOf(violation) === kind)
  const shortest = await shrink(made, fails)
  const { trace, violations } = await runWorld(replayedChoices(shortest))
  console.log(`\nseed ${seed}: ${violations.join('; ')}`)
  for (const line of trace) console.log(`  ${line}`)
  console.log(`  choices: [${shortest}]\n  repeat it: npx --yes pnpm@12 simulate --seed ${seed}`)
}

/** A violation without its names and numbers. */
const kindOf = (violation: string): string => violation.replace(/"[^"]*"|\d+|[^ ]+\.\d+/g, '…').slice(0, 60)

const { seeds, seed: firstSeed, isBrief, verbose } = optionsOf()
const begun = performance.now()
const sum = { worlds: 0, effects: 0, faults: 0, kills: 0, powerLosses: 0, runs: 0, violations: 0 }
const byFault = new Map<string, number>()
let slowest: { seed: number; report: WorldReport } | undefined
for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
  const choices = seededChoices(seed)
  const report = await runWorld(choices)
  sum.worlds++
  sum.effects += report.trace.length
  sum.kills += report.kills
  sum.powerLosses += report.powerLosses
  sum.runs += report.runs
  for (const [fault, count] of Object.entries(report.faults)) {
    if (fault !== 'none') sum.faults += count
    byFault.set(fault, (byFault.get(fault) ?? 0) + count)
  }
  if (!slowest || report.elapsedMs > slowest.report.elapsedMs) slowest = { seed, report }
  if (verbose) console.log(`seed ${seed}\n  ${report.trace.join('\n  ')}`)
  if (report.violations.length > 0) {
    sum.violations++
    if (isBrief) {
      console.log(`seed ${seed}: ${report.violations[0]}`)
      break
    }
    await printViolation(seed, choices.made, report.violations)
  }
}
const minutes = (performance.now() - begun) / 60_000
console.log(sum)
console.log(faults.map((fault) => `${fault}: ${byFault.get(fault) ?? 0}`).join(', '))
console.log(`${Math.round(sum.worlds / minutes)} worlds a minute`)
if (slowest)
  console.log(`longest: seed ${slowest.seed}, ${Math.round(slowest.report.elapsedMs / 60_000)} virtual minutes`)
process.exitCode = sum.violations > 0 ? 1 : 0
