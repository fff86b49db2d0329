import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, openCache, pullTranscripts, type ReportCase, storedTranscripts } from '@svc/checks'
import type { TranscriptUpload } from '@svc/client'
import { parse } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** A generator of numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const size = isLong ? 2_000 : 200

it(`a stored set of ${size} with lost answers, a list that lags and a kill has the verdict of its folder`, async () => {
  const shell = scriptedShell()
  const { server, clock, project, cwd, asked } = shell
  const random = seeded(1)
  const outcomes = ['strong', 'mixed', 'poor', 'critical loop']
  const upload = async (at: number) => {
    const words = `${outcomes[Math.floor(random() * outcomes.length)]} ${at}`
    const turns = conversation(words) as TranscriptUpload['turns']
    await shell.client().transcripts.upload(project, { name: words, turns, process: false })
  }
  for (let at = 0; at < size - 20; at++) await upload(at)
  await clock.advance(60_000)
  server.ambiguities.set({ listLagMs: 60_000, totalLags: false } as object)
  for (let at = size - 20; at < size; at++) await upload(at)

  const client = shell.client({
    async fetch(request) {
      const response = await shell.fetch(request)
      // The service did its work, and its answer is lost.
      if (random() < 0.05) throw new TypeError('fetch failed')
      return response
    },
  })
  const cache = await openCache(join(cwd, 'cache'))
  const stored = (signal?: AbortSignal, onCase?: () => void) =>
    clock.until(
      check({
        ...{ client, annotator: 'structural', cache, clock, signal, onCase },
        transcripts: storedTranscripts(client, project, {}, { clock }),
      }),
    )
  const lagging = await stored()
  expect([lagging.verdict, lagging.report.total]).toEqual(['failed', size - 19])
  expect(lagging.cases.at(-1)?.gap?.why).toBe('incomplete')

  await clock.advance(60_000)
  const killing = new AbortController()
  let judged = 0
  const killed = await stored(killing.signal, () => {
    if (++judged === size - 10) killing.abort('killed')
  })
  expect(killed.report.judged).toBeLessThan(size)

  // Of many reads, one may lose all of its answers.
  const again = async <Result>(run: () => Promise<Result>, hasGaps: (result: Result) => boolean) => {
    let result = await run()
    for (let times = 0; times < 5 && hasGaps(result); times++) result = await run()
    return result
  }
  const whole = await again(stored, ({ cases }) => cases.some(({ gap }) => gap?.temporary))
  // A lost answer is asked for again; an answer that came is in the cache.
  expect(asked.length).toBeLessThan(size * 1.25)
  const pull = () => clock.until(pullTranscripts({ client, project, folder: join(cwd, 'stored'), clock }))
  const { list, written, kept } = await again(pull, ({ unread }) => unread.length > 0)
  expect([list.gap, written + kept]).toEqual([undefined, size])
  const files = readdirSync(join(cwd, 'stored')).filter((name) => name.endsWith('.json'))
  const transcripts = files.sort().flatMap((path) => {
    const text = readFileSync(join(cwd, 'stored', path), 'utf8')
    return parse(text).transcripts.map((transcript) => ({ path, transcript }))
  })
  const folder = await clock.until(check({ client, annotator: 'structural', cache, clock, transcripts }))
  const shown = (cases: readonly ReportCase[]) => cases.map(({ sha256, result, outcome }) => [sha256, result, outcome])
  expect(shown(whole.cases)).toEqual(shown(folder.cases))
  expect([whole.verdict, whole.report.line, whole.report.exit]).toEqual([
    folder.verdict,
    folder.report.line,
    folder.report.exit,
  ])
  expect(whole.report).toMatchObject({ total: size, judged: size })
}, 120_000)
