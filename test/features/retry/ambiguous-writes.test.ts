import { AmbiguousWriteError, ConnectionError, type TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { inTurn } from '../../helpers/long.js'
import { answer, passOn, reset, resetUnread, silence, storedLater, storedThen, truncated } from './acts.js'
import type { Act } from './fault-server.js'
import { openLab } from './lab.js'
import { type Transport, transports } from './transports.js'

/** The faults of the first POST of a caller; those that follow go well. */
const outcomes = {
  'goes well': passOn,
  'is stored, then reset': storedThen(reset),
  'is stored, then never answered': storedThen(silence),
  'is stored, then cut off': storedThen(truncated(201)),
  'is stored, then answered 504': storedThen(answer(504)),
  'is stored 3 s after a reset': storedLater(3_000, reset),
  'is stored 40 s after a reset': storedLater(40_000, reset),
  'is stored 10 s before time-out': storedLater(50_000, silence),
  'is reset, not stored': reset,
  'is reset before it is read': resetUnread,
  'is answered 503 and not stored': answer(503),
} satisfies Record<string, Act>
type Outcome = keyof typeof outcomes

/** Two callers at once, each with a client of its own. */
type Who = 'one' | 'other'
const words = { one: 'hello', other: 'good bye' }
/** One name and external id for both, and other words; whose it is stands in the metadata. */
const talkOf = (who: Who, moreTurns = 0): TranscriptUpload => ({
  name: 'A conversation',
  externalId: 'e-1',
  turns: Array(who === 'other' ? 1 + moreTurns : 1).fill({ role: 'user', content: words[who] }),
  metadata: { who },
})

/** A lab in which the first POST of each caller has its outcome. */
async function openFor(transport: Transport, outcomeOf: Record<Who, Outcome>, stamp = false) {
  const posts = { one: 0, other: 0 }
  const byCaller: Act = (exchange) => {
    const who = exchange.request.headers['x-caller'] as Who
    return (posts[who]++ === 0 ? outcomes[outcomeOf[who]] : passOn)(exchange)
  }
  const lab = await openLab(transport, { scripted: 'POST', script: [byCaller] })
  const clientOf = (who: Who) => lab.client({ stamp, headers: { 'x-caller': who } })
  return { ...lab, one: clientOf('one'), other: clientOf('other') }
}

const settled = (call: Promise<{ id: string }>) => call.catch((error: unknown) => error as Error)

interface Call {
  got: { id: string } | Error
  stored: string[]
}

/** Never two of one call, and never none without an error that says so. */
function isHonest({ got, stored }: Call): void {
  if (!(got instanceof Error)) return expect(stored).toEqual([got.id])
  if (got instanceof ConnectionError) return expect(stored).toEqual([])
  expect(got).toBeInstanceOf(AmbiguousWriteError)
  expect(stored.length).toBeLessThanOrEqual(1)
}

/** Uploads of both callers side by side: what each got, and what is stored of each when all is over. */
async function twoUploads(
  transport: Transport,
  [one, other]: readonly [Outcome, Outcome],
  { stamp, moreTurns }: { stamp: boolean; moreTurns: number },
): Promise<Call[]> {
  const lab = await openFor(transport, { one, other }, stamp)
  const { projectId, clock, server } = lab
  const whos: Who[] = ['one', 'other']
  const call = (who: Who) => settled(lab[who].transcripts.upload(projectId, talkOf(who, moreTurns)))
  const all = await lab.until(Promise.all(whos.map(call)))
  await clock.advance(120_000)
  const records = server.service.world.transcripts(projectId).map(({ record }) => record)
  await lab.close()
  const storedOf = (who: Who) => records.filter(({ metadata }) => metadata.who === who).map(({ id }) => id)
  return whos.map((who, i) => ({ got: all[i] ?? expect.unreachable(), stored: storedOf(who) }))
}

const others: Outcome[] = ['goes well', 'is stored, then reset', 'is reset, not stored']
const pairs = (Object.keys(outcomes) as Outcome[]).flatMap((mine) => others.map((other) => [mine, other] as const))

/** Each pair goes over one transport in turn, with which every outcome meets each; over all in the long form. */
const pairsOver = (transport: Transport) =>
  pairs.filter((_, at) => inTurn(transports, at + Math.floor(at / others.length)).includes(transport))
const sameLength = { stamp: false, moreTurns: 0 }

describe.each(transports)('over $name, an upload', (transport) => {
  it.each(Object.keys(outcomes) as Outcome[])(
    'that %s is stored once, and its record is the result',
    async (outcome) => {
      const lab = await openFor(transport, { one: outcome, other: 'goes well' })
      const { id } = await lab.until(lab.one.transcripts.upload(lab.projectId, talkOf('one')))
      await lab.clock.advance(120_000)
      expect(lab.server.service.world.transcripts(lab.projectId).map(({ record }) => record.id)).toEqual([id])
      await lab.close()
    },
  )

  describe('beside another one of the same name and external id', () => {
    it.each(pairsOver(transport))(
      'two uploads of different length are never confused: one %s, the other %s',
      async (...pair) => {
        for (const call of await twoUploads(transport, pair, { stamp: false, moreTurns: 1 })) isHonest(call)
      },
    )

    it.each(pairsOver(transport))(
      'stamped uploads of one length are never confused: one %s, the other %s',
      async (...pair) => {
        for (const call of await twoUploads(transport, pair, { stamp: true, moreTurns: 0 })) isHonest(call)
      },
    )

    it.each(pairsOver(transport))(
      'two uploads of different content are never confused: one %s, the other %s',
      async (...pair) => {
        for (const call of await twoUploads(transport, pair, sameLength)) isHonest(call)
      },
    )
  })
})

describe.each(transports)('over $name, a project', (transport) => {
  const twoProjects = async (one: Outcome, other: Outcome) => {
    const lab = await openFor(transport, { one, other })
    const create = (who: Who) => settled(lab[who].projects.create({ name: 'Support' }))
    const got = await lab.until(Promise.all([create('one'), create('other')]))
    await lab.clock.advance(120_000)
    const { projects } = lab.server.service.world
    const stored = projects.call(lab.server.service.world).filter(({ record }) => record.name === 'Support')
    await lab.close()
    return { got, stored: stored.map(({ record }) => record.id) }
  }

  it.each(pairsOver(transport))(
    'beside another of the same name is never doubled: one %s, the other %s',
    async (...pair) => {
      const { got, stored } = await twoProjects(...pair)
      expect(stored.length).toBeLessThanOrEqual(2)
      for (const each of got) {
        if (each instanceof Error) expect(each).toBeInstanceOf(AmbiguousWriteError)
        else expect(stored).toContain(each.id)
      }
    },
  )

  it('without a record may match another of the same name, because nothing else distinguishes them', async () => {
    const { got, stored } = await twoProjects('is reset, not stored', 'goes well')
    const [one, other] = got
    expect([one, stored]).toEqual([other, [(other as { id: string }).id]])
  })
})

describe.each(transports)('over $name, a write that was sent again', (transport) => {
  it('has every attempt in its error', async () => {
    const lab = await openLab(transport, { script: [answer(503)], scripted: 'POST' })
    const error = await lab.until(settled(lab.svc.projects.create({ name: 'Support' })))
    await lab.close()
    expect(error).toMatchObject({ attempts: [{ status: 503 }, { status: 503 }, { status: 503 }] })
  })
})
