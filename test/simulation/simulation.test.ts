import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { bundled } from './bundle.js'
import { replayedChoices, seededChoices } from './choices.js'
import { shrink } from './shrink.js'
import { runWorld } from './world.js'

describe('a simulated world', () => {
  it('a simulated world of one seed has the same effects each time', async () => {
    const [first, second] = [seededChoices(7), seededChoices(7)]
    const { trace } = await runWorld(first)
    expect(trace.length).toBeGreaterThan(20)
    expect((await runWorld(second)).trace).toEqual(trace)
    expect((await runWorld(replayedChoices(first.made))).trace).toEqual(trace)
  })

  it('a simulated world loses no transcript and stores none twice, whatever fails and whoever is killed', async () => {
    const sum = { faults: 0, kills: 0 }
    for (let seed = 1; seed <= 30; seed++) {
      const { violations, faults, kills } = await runWorld(seededChoices(seed))
      expect({ seed, violations }).toEqual({ seed, violations: [] })
      const { none: _, ...happened } = faults
      sum.faults += Object.values(happened).reduce((all, count) => all + count, 0)
      sum.kills += kills
    }
    expect(sum.faults).toBeGreaterThan(40)
    expect(sum.kills).toBeGreaterThan(40)
  })
})

it('a simulated world of apps stores what was added, and reports each second copy', async () => {
  const file = await bundled('simulation-apps')
  const { status, stdout } = spawnSync(process.execPath, [file, '--program', 'apps', '--seeds', '15'], {
    encoding: 'utf8',
  })
  expect(stdout).toMatch(/apps +│ 15 +│/)
  expect({ status, broken: /^seed \d+: .*/m.exec(stdout)?.[0] }).toEqual({ status: 0, broken: undefined })
})

it('choices that fail are shrunk to the fewest that still do', async () => {
  const made = Array.from({ length: 200 }, (_, i) => (i * 7) % 5)
  const fails = async (list: readonly number[]) => list.filter((each) => each > 0).length >= 2
  expect(await shrink(made, fails)).toEqual([1, 1])
})

it('a simulated world of the command has the same effects each time', async () => {
  const file = await bundled('simulation-test')
  const effects = () => {
    const argv = [file, '--program', 'upload', '--seed', '7', '--verbose']
    const { status, stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
    return { status, lines: stdout.split('\n').filter((line) => line.includes(' ms  ')) }
  }
  const first = effects()
  expect(first.status).toBe(0)
  expect(first.lines.length).toBeGreaterThan(20)
  expect(effects()).toEqual(first)
})
