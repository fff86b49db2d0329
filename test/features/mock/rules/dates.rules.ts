import { expect } from 'chai'
import { isoTimes, noTimes } from '../../../../packages/reference-server/src/contract/rules/index.js'
import { newProject, newTranscript, onB, refusedOnB } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'GET /projects/{projectId}/transcripts'
const reading = 'ambiguity: date filters'

type Bounds = Readonly<{ date_from?: string; date_to?: string }>

const listOf = (trial: Trial, id: string, bounds: Bounds) =>
  trial.ask(onB(`/projects/${id}/transcripts?${new URLSearchParams(bounds)}`))

/** Which of some times of conversations lie within some bounds. */
interface Case {
  name: string
  source: string
  times: readonly (string | undefined)[]
  within: readonly [Bounds, readonly number[]][]
}

const noon = '2026-03-10T12:00:00.000Z'

const cases: readonly Case[] = [
  {
    name: 'date_from is inclusive, to the millisecond',
    source,
    times: ['2026-03-10T11:59:59.999Z', noon, '2026-03-10T12:00:00.001Z'],
    within: [[{ date_from: noon }, [1, 2]]],
  },
  {
    name: 'date_to is inclusive, to the millisecond',
    source,
    times: ['2026-03-10T11:59:59.999Z', noon, '2026-03-10T12:00:00.001Z'],
    within: [[{ date_to: noon }, [0, 1]]],
  },
  {
    name: 'date_from and date_to together keep what lies between, both ends included',
    source,
    times: ['2026-03-09T00:00:00Z', noon, '2026-03-11T00:00:00Z', '2026-03-12T00:00:00Z'],
    within: [
      [{ date_from: noon, date_to: '2026-03-11T00:00:00Z' }, [1, 2]],
      [{ date_from: noon, date_to: noon }, [1]],
      [{ date_from: '2026-03-12T00:00:00Z', date_to: noon }, []],
    ],
  },
  {
    name: 'a date alone as the lower bound begins with its day in UTC',
    source: reading,
    times: ['2026-03-09T23:59:59.999Z', '2026-03-10T00:00:00Z', '2026-03-10T00:00:00.001Z'],
    within: [[{ date_from: '2026-03-10' }, [1, 2]]],
  },
  {
    name: 'a date alone as the upper bound covers its day in UTC, to the last millisecond',
    source: reading,
    times: ['2026-03-10T00:00:00Z', noon, '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z'],
    within: [
      [{ date_to: '2026-03-10' }, [0, 1, 2]],
      [{ date_from: '2026-03-10', date_to: '2026-03-10' }, [0, 1, 2]],
    ],
  },
  {
    name: 'midnight as the upper bound is midnight, not the day',
    source: reading,
    times: ['2026-03-10T00:00:00Z', noon],
    within: [[{ date_to: '2026-03-10T00:00:00Z' }, [0]]],
  },
  {
    name: 'a transcript without a source_timestamp is within no bounds',
    source: reading,
    times: [undefined, noon],
    within: [
      [{ date_from: '1970-01-01' }, [1]],
      [{ date_to: '9999-12-31' }, [1]],
      [{ date_from: '1970-01-01', date_to: '9999-12-31' }, [1]],
      [{}, [0, 1]],
    ],
  },
  {
    name: 'instants are compared, whatever offsets they are written with',
    source: reading,
    times: [
      '2026-03-10T01:00:00+02:00',
      '2026-03-09T23:00:00Z',
      '2026-03-09T17:30:00-05:30',
      '2026-03-10T00:30:00+02:00',
    ],
    within: [
      [{ date_from: '2026-03-09T23:00:00Z' }, [0, 1, 2]],
      [{ date_from: '2026-03-10T08:00:00+09:00' }, [0, 1, 2]],
      [{ date_to: '2026-03-09T22:59:59.999Z' }, [3]],
      [{ date_to: '2026-03-09' }, [0, 1, 2, 3]],
      [{ date_from: '2026-03-10' }, []],
    ],
  },
  {
    name: 'a time without an offset is in UTC',
    source: 'ambiguity: the form of ISO 8601 times (spec/README.md)',
    times: ['2026-03-10T12:00:00', '2026-03-10T12:00:00Z', '2026-03-10'],
    within: [
      [{ date_from: '2026-03-10T12:00:00Z' }, [0, 1]],
      [{ date_from: '2026-03-10T12:00:00', date_to: '2026-03-10T12:00:00' }, [0, 1]],
      [{ date_to: '2026-03-10T00:00:00' }, [2]],
    ],
  },
  {
    name: 'the last day of February is a day in leap years',
    source: reading,
    times: ['2024-02-29T10:00:00Z', '2024-03-01T00:00:00Z'],
    within: [[{ date_from: '2024-02-29', date_to: '2024-02-29' }, [0]]],
  },
]

export const rules: readonly Rule[] = [
  ...cases.map(
    ({ name, source: from, times, within }): Rule => ({
      name,
      source: from,
      async run(trial) {
        const { id } = await newProject(trial)
        const made: string[] = []
        for (const sourceTimestamp of times) made.push((await newTranscript(trial, id, { sourceTimestamp })).id)
        for (const [bounds, places] of within) {
          const { status, json, text } = await listOf(trial, id, bounds)
          expect(status, text).to.equal(200)
          const found = json.data.map((record: { id: string }) => made.indexOf(record.id)).sort()
          expect(found, JSON.stringify(bounds)).to.deep.equal(places)
          expect(json.pagination.total, JSON.stringify(bounds)).to.equal(places.length)
        }
      },
    }),
  ),
  {
    name: 'the dates bound the time of the conversation, not that of the upload',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      await newTranscript(trial, id, { sourceTimestamp: '2001-01-01T00:00:00Z' })
      expect((await listOf(trial, id, { date_from: '2002-01-01' })).json.data).to.deep.equal([])
      expect((await listOf(trial, id, { date_to: '2002-01-01' })).json.data).to.have.length(1)
    },
  },
  ...(['date_from', 'date_to'] as const).flatMap((name): Rule[] => [
    {
      name: `${name} may be any ISO 8601 date or date-time`,
      source,
      async run(trial) {
        const { id } = await newProject(trial)
        for (const time of isoTimes) {
          expect((await listOf(trial, id, { [name]: time })).status, time).to.equal(200)
        }
      },
    },
    {
      name: `${name} that is no date is 400`,
      source: `${reading} (a bound that names no instant)`,
      async run(trial) {
        const { id } = await newProject(trial)
        for (const time of noTimes.filter((text) => text !== '')) {
          const answer = await listOf(trial, id, { [name]: time })
          expect(answer.status, time).to.equal(400)
          refusedOnB(answer, 400)
        }
      },
    },
  ]),
]
