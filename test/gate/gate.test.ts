import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realIo } from '@svc/cli'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createShell } from '../run-cli.js'
import { createSession } from '../session.js'
import { landed } from './landed.js'
import { answers, type GivenAnswer, outages, plantedService } from './planted-answers.js'
import { type Named, plantTree, trees } from './planted-files.js'
import { plantPolicy, policies } from './planted-policy.js'

const numRuns = Number(process.env.SVC_GATE_RUNS ?? 100)
const seed = Number(process.env.SVC_GATE_SEED ?? 1)

/** A stop signal at the start, or at a request for an annotation. */
const stops = fc.option(
  fc.record({ at: fc.integer({ min: -1, max: 4 }), signal: fc.constantFrom('SIGINT', 'SIGTERM') }),
  { freq: 6, nil: undefined },
)

const runs = fc.record({
  paths: fc.array(fc.constantFrom('t', './t', 't/a/..', 't/a', 't/c', 't/**/*', 'a file', 'a file'), {
    minLength: 1,
    maxLength: 2,
  }),
  flags: fc.subarray(['--follow-links', '--exclude=skip-*', '--cache=.cache', '--concurrency=1', '--deadline=30s']),
  limit: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    fc.constantFrom(['--max-failures=1'], ['--max-tokens=99']),
  ),
  stop: stops,
  /** Each path is checked for itself, and the reports are merged; or so many shards are. */
  parts: fc.constantFrom('one', 'one', 'one', 'paths', ...(landed.shards ? (['shards'] as const) : [])),
})

type Run = typeof runs extends fc.Arbitrary<infer Value> ? Value : never

const worlds = fc.record({
  /** The answers to each conversation; a file names them by their number. */
  contents: fc.array(
    fc.record({
      answers: fc.array(answers, { minLength: 1, maxLength: 3 }),
      isRuled: fc.constantFrom(...Array(9).fill(false), true),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  tree: trees,
  policy: policies,
  outage: outages,
  runs: fc.array(runs, { minLength: 1, maxLength: 2 }),
})

it(`svc check ends with 0 only if everything that was named is judged and passes, and with 100 if something judged fails: ${numRuns} worlds from seed ${seed}`, async () => {
  const ends = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(worlds, async ({ contents, tree, policy: drawnPolicy, outage, runs }) => {
      const session = createSession()
      const contentOf = (n: number) =>
        `c${n % contents.length}${contents[n % contents.length]?.isRuled ? ' ruled' : ''}`
      const service = plantedService(session, {
        outage,
        answersOf: (content) => contents[Number(/\d+/.exec(content)?.[0])]?.answers ?? ['strong'],
      })
      const shell = createShell({ ...session, fetch: service.fetch })
      const planted = plantTree(shell.cwd, tree, contentOf)
      const policy = plantPolicy(shell.cwd, drawnPolicy)

      for (const [number, run] of runs.entries()) {
        service.control.run = number
        const paths = run.paths.map((path, at) => (path === 'a file' ? (planted.single[at] ?? 't') : path))
        const { code, isStopped, isWhole } = await runGate(shell, service.control, { ...run, paths }, policy.flags)
        ends.set(code, (ends.get(code) ?? 0) + 1)
        // An answer that comes after a signal or the deadline is not judged.
        const isLate = run.flags.some((flag) => flag.startsWith('--deadline'))
        const named = planted.named(paths, run.flags.includes('--exclude=skip-*'))
        expect(code, 'a bug').not.toBe(1)
        // Answers of an earlier run count if they are cached.
        const heard = service.given.filter((each) => each.run === number || run.flags.includes('--cache=.cache'))
        if (code === 0) expect(obstacles(named, heard), 'what stands against 0').toEqual([])
        const isEnded = isStopped || isLate || !isWhole
        if (code !== 100 && !isEnded && !policy.isFaulty)
          expect(failures(named, number), `fails, with ${code}`).toEqual([])
      }

      for (const name of readdirSync(shell.cwd)) rmSync(join(shell.cwd, name), { recursive: true })

      /** Everything that the paths name and that has no answers with which it passes. */
      function obstacles({ records, unjudgeable }: Named, heard: readonly GivenAnswer[]): string[] {
        const { attempts, confirmOnFail } = policy
        const unpassed = records.filter((record) => {
          const passing = heard.filter(
            (each) => each.content === record.content && policy.judged(record, each) === 'passes',
          ).length
          return confirmOnFail ? passing === 0 : 2 * passing <= attempts
        })
        return [
          ...(policy.isFaulty ? [`the policy: ${drawnPolicy.place}`] : []),
          ...(records.length + unjudgeable.length === 0 ? ['nothing is named'] : []),
          ...unjudgeable,
          ...unpassed.map(({ path, content }) => `${content} in ${path}`),
        ]
      }

      /** What fails by the answers that a run was given. */
      function failures({ records }: Named, run: number): string[] {
        return records.flatMap((record) => {
          const own = service.given.filter((each) => each.run === run && each.content === record.content)
          const failing = own.filter((each) => policy.judged(record, each) === 'fails').length
          return failing > 0 && 2 * failing >= policy.attempts ? [`${record.content} in ${record.path}`] : []
        })
      }
    }),
    { numRuns, seed },
  )
  // The property must not hold because all worlds are broken.
  for (const code of [0, 100, 101])
    expect(ends.get(code) ?? 0, `runs that end with ${code}`).toBeGreaterThan(numRuns / 25)
}, 600_000)

/**
 * Run the gate at once, or in parts whose reports are merged; the exit code is that of the gate. `isWhole`: each part has
 * judged all.
 */
async function runGate(
  { svc, clock, cwd }: ReturnType<typeof createShell>,
  control: ReturnType<typeof plantedService>['control'],
  { paths, flags, limit, stop, parts }: Omit<Run, 'paths'> & { paths: string[] },
  policyFlags: readonly string[],
) {
  const stopping = new AbortController()
  if (stop?.at === -1) stopping.abort(stop.signal)
  let seen = 0
  control.onRequest = () => {
    if (seen++ === stop?.at) stopping.abort(stop.signal)
  }
  const { signal } = stopping
  const real = realIo(process, cwd, { signal, onSignal: () => () => {} })
  const readable =
    <Value>(read: (path: string, ...rest: never[]) => Promise<Value>) =>
    async (path: string, ...rest: never[]): Promise<Value> => {
      if (path.includes('-unreadable')) throw Object.assign(new Error('denied'), { code: 'EACCES' })
      return read(path, ...rest)
    }
  const io = { openFile: readable(real.openFile), readEnds: readable(real.readEnds) as typeof real.readEnds }
  const run = (argv: string[]) => clock.until(svc(argv, { signal, io }))
  const check = (named: readonly string[], ...more: string[]) =>
    run(['check', ...named, ...policyFlags, ...flags, ...limit, ...more])
  const isStopped = () => signal.aborted
  if (parts === 'one') return { code: (await check(paths)).code, isStopped: isStopped(), isWhole: true }
  const calls =
    parts === 'paths' ? paths.map((path) => [path]) : ['1/2', '2/2'].map((shard) => [...paths, `--shard=${shard}`])
  const reports = calls.map((_, at) => `part-${at}.json`)
  for (const report of reports) writeFileSync(join(cwd, report), '')
  const codes: number[] = []
  for (const [at, call] of calls.entries()) codes.push((await check(call, `--report=json=${reports[at]}`)).code)
  const expected = parts === 'shards' ? ['--expect=2'] : []
  const { code } = await clock.until(svc(['report', 'merge', ...reports, ...expected], {}))
  return { code, isStopped: isStopped(), isWhole: code !== 3 && codes.every((each) => each === 0 || each === 100) }
}
