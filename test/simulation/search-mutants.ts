import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { markdownTable } from '../helpers/markdown-table.js'
import { bundled, root } from './bundle.js'
import { type Mutant, mutants } from './mutants.js'

/** The page with the table of the defects. */
export const page = join(root, 'docs/concepts/simulation.md')

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

/** The rows of the table of the page: name, program in code marks, seeds. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+?) +\| (`\w+`) +\| (\d+) +\|$/gm)].map(([, ...cells]) => cells as string[])

// Run with a part of a name, and with -u to write the result into the table of the page.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [part = ''] = process.argv.slice(2).filter((word) => word !== '-u')
  const text = readFileSync(page, 'utf8')
  const seeds = new Map(rowsOf(text).map(([name, , seed]) => [name, seed]))
  for (const [at, mutant] of mutants.entries()) {
    if (!mutant.name.includes(part)) continue
    const found = await search(mutant, at)
    if (!found) process.exitCode = 1
    console.log(`${mutant.name}: ${found ? `seed ${found.seed}: ${found.promise}` : 'NOT FOUND'}`)
    seeds.set(mutant.name, String(found?.seed ?? `not in ${mostSeeds}`))
  }
  if (process.argv.includes('-u')) {
    const rows = mutants.map(({ name, program = 'uploadAll' }) => [name, `\`${program}\``, seeds.get(name) ?? '?'])
    const table = markdownTable([['defect', 'program', 'seeds'], ...rows])
    writeFileSync(page, text.replace(/\| defect .*\n(\|.*\n)*/, table))
  }
}
