import type { Annotation } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { type AskedTogether, askAll, type Question, type Way } from './asking.js'

const annotation = (outcome: string, tokens = 1): Annotation =>
  ({ outcome, usage: { tokens_in: tokens, tokens_out: 0, latency_ms: 0 } }) as never
const question = (index: number, digest: string): Question => ({
  ...{ index, digest, body: { annotator: 'a', transcript: [{ content: digest }] } as never },
  resultOf: ({ outcome }) => ({ outcome, fails: outcome === 'poor', counts: false }),
})

/** Asks about texts; each answers with its outcomes in turn, and an exit code is a failure. */
async function asking(texts: string[], answers: Record<string, (string | number)[]>, more: Partial<Way> = {}) {
  const asked: string[] = []
  const kept = new Map<string, Annotation>()
  const way: Way = {
    ...{ attempts: 1, confirmOnFail: false, maxTokens: undefined, concurrency: 1, isStopped: () => false },
    ask: async ({ transcript }) => {
      const text = String(transcript[0]?.content)
      asked.push(text)
      const next = answers[text]?.shift() ?? 'strong'
      return typeof next === 'number'
        ? { error: new Error('no'), code: next as never }
        : { annotation: annotation(next) }
    },
    recall: ({ digest }, attempt) => kept.get(`${digest} ${attempt}`),
    keep: async ({ digest }, attempt, of) => void kept.set(`${digest} ${attempt}`, of),
    ...more,
  }
  const came: AskedTogether[] = []
  for await (const each of askAll(
    texts.map((text, index) => question(index, text)),
    way,
  ))
    came.push(each)
  const votes = came.map(({ votes }) => votes.map(({ annotation }) => annotation.outcome))
  return { asked, came, votes, kept, way }
}

describe('asking', () => {
  it('asks once about the same text, for all that have it', async () => {
    const { asked, came } = await asking(['x', 'y', 'x'], {})
    expect(asked).toEqual(['x', 'y'])
    expect(came.map(({ questions }) => questions.map(({ index }) => index))).toEqual([[0, 2], [1]])
  })

  it('asks again only about what failed, until that is certain', async () => {
    const { votes } = await asking(
      ['x', 'y', 'z'],
      { x: ['poor', 'poor'], y: ['poor', 'strong', 'strong'] },
      {
        ...{ attempts: 3, confirmOnFail: true },
      },
    )
    expect(votes).toEqual([['poor', 'poor'], ['poor', 'strong', 'strong'], ['strong']])
  })

  it('asks about nothing that was answered before, attempt by attempt', async () => {
    const first = await asking(['x', 'y'], { x: ['poor', 'poor'] }, { attempts: 3, confirmOnFail: true })
    const again = await asking(['x', 'y'], {}, first.way)
    expect(first.asked).toHaveLength(3)
    const came: AskedTogether[] = []
    for await (const each of askAll([question(0, 'x'), question(1, 'y')], first.way)) came.push(each)
    expect(came.flatMap(({ votes }) => votes.map(({ from }) => from))).toEqual(['cached', 'cached', 'cached'])
    expect(again.asked).toEqual([])
    expect(first.asked).toHaveLength(3)
  })

  it('keeps answers, and no failure', async () => {
    const { kept } = await asking(['x', 'y'], { x: [75] })
    expect([...kept.keys()]).toEqual(['y 1'])
  })

  it('asks nothing more when the tokens are used up, and says so of each', async () => {
    const { asked, came } = await asking(['x', 'y', 'z'], {}, { maxTokens: 2 })
    expect(asked).toEqual(['x', 'y'])
    expect(came.map(({ ended }) => ended)).toEqual([undefined, undefined, 'over budget'])
  })

  it('does not spend tokens on what is known', async () => {
    const { came } = await asking(['x', 'y'], {}, { maxTokens: 0, recall: () => annotation('strong', 5) })
    expect(came.map(({ ended, votes }) => [ended, votes.length])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ])
  })

  it('begins nothing after what would befall all', async () => {
    const { asked } = await asking(['x', 'y', 'z'], { x: [4] })
    expect(asked).toEqual(['x'])
  })

  it('goes on after a failure that passes', async () => {
    const { asked, came } = await asking(['x', 'y'], { x: [75] })
    expect(asked).toEqual(['x', 'y'])
    expect(came[0]?.ended).toMatchObject({ code: 75 })
  })

  it('gives the attempts that it has where a further one fails', async () => {
    const { votes } = await asking(['x'], { x: ['poor', 75] }, { attempts: 3, confirmOnFail: true })
    expect(votes).toEqual([['poor']])
  })
})
