import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/simulation')

/** A known defect: a text of a source file, and the text in its place. */
interface Mutant {
  name: string
  file: string
  from: string
  to: string
}

const bulk = 'packages/bulk/src'
const client = 'packages/client/src'

/** Each breaks a promise that a simulated world has to notice. */
export const mutants: readonly Mutant[] = [
  {
    name: 'an intent is written but not synced before the request',
    file: `${bulk}/ledger/journal.ts`,
    from: 'await open.file.sync()',
    to: 'await undefined',
  },
  {
    name: 'the folder is not synced after the ledger is created',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'disk.rename(draft, path)\n      disk.syncFolder(folder)',
    to: 'disk.rename(draft, path)',
  },
  {
    name: 'an existing ledger is used before its folder is synced',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'killed before it synced the name.\n  disk.syncFolder(folder)',
    to: '',
  },
  {
    name: 'an open entry is sent again without a search',
    file: `${bulk}/upload/send.ts`,
    from: "if (entry?.state === 'open' || entry?.state === 'unknown') return { ...each, entry }",
    to: '',
  },
  {
    name: 'a torn last line is kept',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'if (length < size) file.truncate(length)',
    to: '',
  },
  {
    name: 'a lost answer closes the entry as not sent',
    file: `${bulk}/upload/send.ts`,
    from: "return isUnsent ? { event: 'unsent' } : { event: 'unknown', candidates: [] }",
    to: "return { event: 'unsent' }",
  },
  {
    name: 'an ambiguous write counts as not stored',
    file: `${bulk}/upload/send.ts`,
    from: 'if (error instanceof AmbiguousWriteError)',
    to: 'if (false)',
  },
  {
    name: 'an upload counts as absent at once',
    file: `${bulk}/ledger/reconcile.ts`,
    from: 'isNotFound(item) && absentFrom(item) > searchedAt',
    to: 'false',
  },
  {
    name: 'a list that may lack rows proves absence',
    file: `${bulk}/ledger/reconcile.ts`,
    from: "found.result === 'missing' || item.conflict",
    to: 'item.conflict',
  },
  {
    name: 'a shard takes the uploads of its neighbour',
    file: `${bulk}/upload/plan.ts`,
    from: 'shardFor(content, shard.of) !== shard.index',
    to: 'false',
  },
  {
    name: 'the lock is not checked',
    file: `${bulk}/claims.ts`,
    from: 'if (first) {',
    to: 'if (false) {',
  },
  {
    name: 'a row without a stamp counts as another record',
    file: `${client}/reconciliation/match.ts`,
    from: "return match === 'no' ? 'unlikely' : 'not shown'",
    to: "return 'no'",
  },
  {
    name: 'a record of another write counts as this one',
    file: `${client}/reconciliation/match.ts`,
    from: "if (isShown && (!isSameWrite(stored.write, write) || (write === undefined && stored.key !== key))) return 'no'",
    to: '',
  },
  {
    name: 'a 503 after an upload is retried without a search',
    file: `${client}/retry/policy.ts`,
    from: "['retry', 'reconcile', 'reconcile', 'reconcile', 'reconcile']",
    to: "['retry', 'reconcile', 'retry', 'reconcile', 'reconcile']",
  },
  {
    name: 'the second occurrence of equal content is skipped',
    file: `${bulk}/ledger/identity.ts`,
    from: 'const count = (seen.get(text) ?? 0) + 1',
    to: 'const count = 1',
  },
]

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

/** The simulator with a defect, as one file. */
export async function bundled(mutant: Mutant | undefined, name: string): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const outfile = join(cache, `${name}.mjs`)
  await build({
    ...{ entryPoints: [join(root, 'test/simulation/simulate.ts')], outfile, bundle: true, logLevel: 'error' },
    ...{ platform: 'node', format: 'esm', target: 'node20', tsconfig: join(root, 'tsconfig.json') },
    external: ['undici', 'libsql', 'msw', 'openapi-fetch', '@opentelemetry/api'],
    plugins: mutant ? [mutating(mutant)] : [],
  })
  return outfile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let missed = 0
  for (const [at, mutant] of mutants.entries()) {
    if (process.argv[2] !== undefined && !mutant.name.includes(process.argv[2])) continue
    const file = await bundled(mutant, `mutant-${at}`)
    const { stdout, stderr } = spawnSync(process.execPath, [file, '--seeds', '2000', '--until-violation'], {
      encoding: 'utf8',
    })
    const seed = /^seed (\d+): (.*)$/m.exec(stdout)
    if (!seed) missed++
    console.log(`${mutant.name}: ${seed ? `seed ${seed[1]}: ${seed[2]}` : `NOT FOUND ${stderr.slice(0, 300)}`}`)
  }
  process.exitCode = missed > 0 ? 1 : 0
}
