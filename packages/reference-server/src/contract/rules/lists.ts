import { unknownProject } from '../service.js'
import { expectEqual, expectStatus, expectThat, fieldsOf, idsOf, onB, type Rule, rowsOf, type Trial } from '../trial.js'

const source = 'GET /projects/{projectId}/transcripts'

const listPath = async (trial: Trial, query: Readonly<Record<string, string>>) =>
  `/projects/${await trial.project()}/transcripts?${new URLSearchParams(query)}`

/**
 * A filter finds exactly these transcripts. Its value occurs in this run only, so any other row does not match. The list is
 * polled until it shows all of them, as a transcript may appear later.
 */
async function expectFound(
  trial: Trial,
  query: Readonly<Record<string, string>>,
  wanted: readonly unknown[],
): Promise<void> {
  const path = await listPath(trial, { ...query, limit: '100' })
  await trial.until(async () => {
    const answer = await trial.ask(onB(path))
    expectStatus(answer, 200)
    const ids = idsOf(answer)
    expectThat(
      ids.every((id) => wanted.includes(id)),
      'the list shows a transcript that does not match',
    )
    return wanted.every((id) => ids.includes(id)) || undefined
  })
}

const fields = [
  ['model_name', 'modelName'],
  ['language', 'language'],
  ['source_system', 'sourceSystem'],
] as const

/** A short word: a language has at most 10 characters. */
const shortWord = (trial: Trial) => trial.word().slice(-8)

const noon = '2026-03-10T12:00:00.000Z'

const bounds: readonly [string, readonly [string, readonly number[]][]][] = [
  [
    'date_from',
    [
      [noon, [1, 2]],
      ['2026-03-11', []],
    ],
  ],
  ['date_to', [[noon, [0, 1]]]],
]

export const rules: readonly Rule[] = [
  {
    name: 'lists show page, limit and total as numbers',
    source: 'Surface B: records',
    async run(trial) {
      for (const path of ['/projects?limit=1', await listPath(trial, { limit: '1' })]) {
        const answer = await trial.ask(onB(path))
        expectStatus(answer, 200)
        const pagination = fieldsOf(fieldsOf(answer.json).pagination)
        for (const name of ['page', 'limit', 'total'])
          expectThat(typeof pagination[name] === 'number', `pagination.${name}: expected a number`)
      }
    },
  },
  {
    name: 'success bodies have data and processing_time_ms',
    source: 'Surface B: records',
    async run(trial) {
      const project = `/projects/${await trial.project()}`
      for (const path of ['/projects', project, `${project}/transcripts`, `/transcripts/${await trial.transcript()}`]) {
        const answer = await trial.ask(onB(path))
        expectStatus(answer, 200)
        const { data, processing_time_ms } = fieldsOf(answer.json)
        expectThat(typeof data === 'object' && data !== null, 'data: expected an object or array')
        expectThat(typeof processing_time_ms === 'number', 'processing_time_ms: expected a number')
      }
    },
  },
  {
    name: 'a page has at most limit rows, 20 by default, and 100 at most',
    source: 'GET /projects',
    async run(trial) {
      const list = `/projects/${await trial.project()}/transcripts`
      for (const path of ['/projects', list])
        for (const [query, most] of [
          ['', 20],
          ['?limit=1', 1],
          ['?page=1&limit=100', 100],
        ] as const) {
          const answer = await trial.ask(onB(path + query))
          expectStatus(answer, 200)
          const rows = rowsOf(answer)
          expectThat(rows !== undefined, 'data: expected an array')
          expectThat(rows.length <= most, `expected at most ${most} rows, got ${rows.length}`)
        }
    },
  },
  {
    name: 'the transcripts of a project that does not exist are 404',
    source,
    run: async ({ ask }) => expectStatus(await ask(onB(`/projects/${unknownProject}/transcripts`)), 404),
  },
  ...fields.map(
    ([name, field]): Rule => ({
      name: `${name} keeps the transcripts whose ${name} is that, whole`,
      source,
      async run(trial) {
        const value = shortWord(trial)
        const wanted = await trial.upload({ [field]: value })
        for (const other of [`${value}d`, value.slice(0, -1), `x${value}`]) await trial.upload({ [field]: other })
        await expectFound(trial, { [name]: value }, [wanted.id])
      },
    }),
  ),
  {
    name: 'q finds the transcripts whose content has the word, in any turn',
    source,
    async run(trial) {
      const word = trial.word()
      const turns = (...contents: string[]) => contents.map((content) => ({ role: 'user', content }))
      const wanted = [
        await trial.upload({ turns: turns(`Where is ${word}?`) }),
        await trial.upload({ turns: turns('Hello.', `The ${word} is wrong.`) }),
      ]
      await trial.upload({ turns: turns('Hello.') })
      await expectFound(
        trial,
        { q: word },
        wanted.map(({ id }) => id),
      )
    },
  },
  ...bounds.map(
    ([name, cases]): Rule => ({
      name: `${name} is inclusive, to the millisecond, and bounds source_timestamp`,
      source,
      async run(trial) {
        const source_system = trial.word()
        const times = ['2026-03-10T11:59:59.999Z', noon, '2026-03-10T12:00:00.001Z']
        const ids: unknown[] = []
        for (const sourceTimestamp of times)
          ids.push((await trial.upload({ sourceTimestamp, sourceSystem: source_system })).id)
        for (const [bound, places] of cases) {
          const wanted = places.map((place) => ids[place])
          await expectFound(trial, { [name]: bound, source_system }, wanted)
        }
      },
    }),
  ),
  {
    name: 'annotation with a key that no transcript has finds nothing',
    source,
    async run(trial) {
      const id = await trial.transcript()
      const answer = await trial.ask(onB(await listPath(trial, { annotation: `${trial.word()}:x`, limit: '100' })))
      expectStatus(answer, 200)
      expectThat(!idsOf(answer).includes(id), 'the list shows a transcript that does not match')
      expectEqual(rowsOf(answer)?.length, 0, 'the number of rows')
    },
  },
]
