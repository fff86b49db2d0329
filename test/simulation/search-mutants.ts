import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'
import { bundled } from './bundle.js'
import { type Mutant, mutants } from './mutants.js'

/** Replaces the text of one file. */
const mutating = ({ file, from, to }: Mutant): Plugin => ({
  name: 'mutant',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`${file.replaceAll(/[./]/g, '\\$&')}$`) }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(from)) throw new Error(`${file} does not contain ${JSON.stringify(from)}`)
      return { contents: text.replace(from, () => to), loader: 'ts' }
    })
  },
})

/** The most seeds in which a defect has to be found. */
const mostSeeds = 2000

/** The first seed whose world breaks a promise, and the promise. */
async function search(mutant: Mutant, at: number): Promise<{ seed: number; promise: string } | undefined> {
  const file = await bundled(`mutant-${at}`, [mutating(mutant)])
  const argv = [file, '--program', mutant.program ?? 'uploadAll', '--seeds', `${mostSeeds}`, '--until-violation']
  const { stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8', maxBuffer: 1 << 26 })
  const [, seed, promise = ''] = /^seed (\d+): (.*)$/m.exec(stdout) ?? []
  return seed === undefined ? undefined : { seed: Number(seed), promise }
}

// Run with a part of a name.
const [part = ''] = process.argv.slice(2)
for (const [at, mutant] of mutants.entries()) {
  if (!mutant.name.includes(part)) continue
  const found = await search(mutant, at)
  if (!found) process.exitCode = 1
  console.log(`${mutant.name}: ${found ? `seed ${found.seed}: ${found.promise}` : `NOT FOUND in ${mostSeeds}`}`)
}
