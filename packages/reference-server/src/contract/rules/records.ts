import { NotTried } from '../service.js'
import {
  dataOf,
  expectAccepted,
  expectEqual,
  expectStatus,
  expectThat,
  type Fields,
  fieldsOf,
  onB,
  type Rule,
  type Trial,
  upload,
} from '../trial.js'
import { allBut, isoTimes, noTimes, type Sent } from './values.js'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/
const projectId = /^hp-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const turn = { role: 'assistant', content: 'Hello.' }

/** The answer to an upload into the project of the run. */
const uploading = async (trial: Trial, fields: Fields) =>
  trial.ask(onB(`/projects/${await trial.project()}/transcripts`, { body: upload(fields) }))

const creating = ({ ask }: Trial, body: unknown) => ask(onB('/projects', { body }))

/** The record of an upload as its answer shows it and as its single read does. */
async function records(trial: Trial, fields: Fields): Promise<Fields[]> {
  const record = await trial.upload(fields)
  return [record, await trial.read(`/transcripts/${record.id}`)]
}

const isNumber = (value: unknown) => typeof value === 'number'
const isTime = (value: unknown) => typeof value === 'string' && iso.test(value)

function expectProject(record: Fields): void {
  expectThat(projectId.test(String(record.id)), 'id: expected the form hp-<uuid>')
  expectThat(typeof record.name === 'string', 'name: expected a string')
  expectThat(isNumber(record.transcript_count), 'transcript_count: expected a number')
  const { latest_transcript_at: latest } = record
  expectThat(latest === null || isTime(latest), 'latest_transcript_at: expected an ISO 8601 time or null')
  for (const name of ['created_at', 'updated_at'])
    expectThat(isTime(record[name]), `${name}: expected an ISO 8601 time`)
}

const nullable = ['model_name', 'language', 'source_system', 'external_id', 'external_user_id', 'source_timestamp']
const counts = ['turn_count', 'user_turn_count', 'assistant_turn_count', 'total_token_count']

const limits: readonly [field: string, answered: string, max: number][] = [
  ['name', 'name', 500],
  ['modelName', 'model_name', 100],
  ['language', 'language', 10],
  ['sourceSystem', 'source_system', 100],
  ['externalId', 'external_id', 500],
  ['externalUserId', 'external_user_id', 500],
]

const invalid: readonly [string, readonly Sent[]][] = [
  ['name', allBut('a string')],
  ['turns', allBut('an array')],
  ['modelName', allBut('a string')],
  ['language', allBut('a string')],
  ['sourceSystem', allBut('a string')],
  ['externalId', allBut('a string')],
  ['externalUserId', allBut('a string')],
  ['metadata', allBut('an object')],
  ['process', allBut('true')],
  ['sourceTimestamp', [...allBut('a string'), ...noTimes.map((text): Sent => [text, text])]],
]

const invalidInTurn: readonly [string, readonly Sent[]][] = [
  ['role', [...allBut('a string'), ...['human', 'User', 'bot', ''].map((role): Sent => [`"${role}"`, role])]],
  ['content', allBut('a string')],
  [
    'toolCalls',
    [...allBut('an array'), ['an array of strings', ['search']], ['a call without a name', [{ args: {} }]]],
  ],
  ['toolResults', [...allBut('an array'), ['an array of null', [null]], ['a result without a name', [{ result: 1 }]]]],
  ['metadata', allBut('an object')],
  ['createdAt', [...allBut('a string'), ...noTimes.map((text): Sent => [text, text])]],
]

/** Bodies that are no JSON object. */
const malformed: readonly [string, (valid: string) => string][] = [
  ['an empty body', () => ''],
  ['a body that is cut short', (valid) => valid.slice(0, -1)],
  ['a body with more after its end', (valid) => `${valid}}`],
  ['an array', (valid) => `[${valid}]`],
  ['null', () => 'null'],
  ['a string', () => '"name"'],
]

const badProjectIds = [
  'x',
  'hp-',
  'hp-1',
  '00000000-0000-4000-8000-000000000000',
  'hp-0000000g-0000-4000-8000-000000000000',
]

const uploads = 'POST /projects/{projectId}/transcripts'

const projectRules: readonly Rule[] = [
  {
    name: 'a new project is answered with 201',
    source: 'POST /projects',
    run: async (trial) => expectStatus(await creating(trial, { name: 'svc contract, one rule' }), 201),
  },
  {
    name: 'a project has its six fields',
    source: 'Project',
    run: async (trial) => expectProject(await trial.read(`/projects/${await trial.project()}`)),
  },
  {
    name: 'a new project has no transcripts',
    source: 'Project',
    async run(trial) {
      const record = await trial.newProject()
      expectProject(record)
      expectEqual(
        [record.transcript_count, record.latest_transcript_at],
        [0, null],
        'transcript_count and latest_transcript_at',
      )
    },
  },
  {
    name: 'transcript_count grows by one with each upload, and latest_transcript_at is the time of the latest',
    source: 'Project',
    async run(trial) {
      const { id } = await trial.newProject()
      let latest: unknown
      for (let made = 0; made < 2; made++) latest = (await trial.upload({}, String(id))).created_at
      const project = await trial.read(`/projects/${id}`)
      expectEqual(
        [project.transcript_count, project.latest_transcript_at],
        [2, latest],
        'transcript_count and latest_transcript_at',
      )
    },
  },
  ...['general', 'ai_coding'].map(
    (domain): Rule => ({
      name: `a new project may have the domain ${domain}`,
      source: 'POST /projects',
      run: async (trial) => expectAccepted(await creating(trial, { name: 'svc contract, one rule', domain })),
    }),
  ),
  ...(
    [
      ['without a name', { domain: 'general' }],
      ['with an empty name', { name: '' }],
      ['with a name of 501 characters', { name: 'x'.repeat(501) }],
      ['with a name that is no string', { name: 7 }],
    ] as const
  ).map(
    ([what, body]): Rule => ({
      name: `a new project ${what} is 400`,
      source: 'POST /projects',
      run: async (trial) => expectStatus(await creating(trial, body), 400),
    }),
  ),
  {
    name: 'the name of a project may have 500 characters, and comes back unchanged',
    source: 'Limits › Surface B',
    async run(trial) {
      for (const name of ['x'.repeat(500), ' 名前 😀 "quoted" <b>\n']) {
        const answer = await creating(trial, { name })
        expectAccepted(answer)
        expectEqual((await trial.recordOf(answer)).name, name, 'name')
      }
    },
  },
]

const uploadRules: readonly Rule[] = [
  {
    name: 'an upload is answered with 201, data and processing_time_ms',
    source: uploads,
    async run(trial) {
      const answer = await uploading(trial, {})
      expectStatus(answer, 201)
      expectThat(typeof dataOf(answer).id === 'string', 'data.id: expected a string')
    },
  },
  {
    name: 'a transcript has its fifteen fields, in its own answer and its read',
    source: 'Transcript',
    async run(trial) {
      for (const record of await records(trial, {})) {
        expectThat(/^tr_./.test(String(record.id)), 'id: expected the prefix tr_')
        expectEqual(record.name, 'svc contract', 'name')
        expectThat(isTime(record.created_at), 'created_at: expected an ISO 8601 time')
        for (const name of nullable) expectEqual(record[name], null, name)
        for (const name of counts) expectThat(isNumber(record[name]), `${name}: expected a number`)
        expectEqual(record.metadata, {}, 'metadata')
      }
    },
  },
  {
    name: 'the fields of an upload come back in snake_case',
    source: 'Transcript',
    async run(trial) {
      const word = trial.word()
      const fields = {
        modelName: 'model-1',
        language: 'de',
        sourceSystem: 'crm',
        externalId: word,
        externalUserId: 'u',
      }
      for (const record of await records(trial, { ...fields, sourceTimestamp: '2026-01-02T03:04:05.678+05:30' })) {
        const { model_name, language, source_system, external_id, external_user_id, source_timestamp } = record
        expectEqual(
          { model_name, language, source_system, external_id, external_user_id },
          { model_name: 'model-1', language: 'de', source_system: 'crm', external_id: word, external_user_id: 'u' },
          'the fields',
        )
        expectEqual(Date.parse(String(source_timestamp)), Date.UTC(2026, 0, 1, 21, 34, 5, 678), 'source_timestamp')
      }
    },
  },
  {
    name: 'two uploads of the same body are two transcripts',
    source: uploads,
    async run(trial) {
      const [one, other] = [await trial.upload(), await trial.upload()]
      expectThat(one.id !== other.id, 'both have the same id')
    },
  },
  {
    name: 'turns are counted in all, of the user, and of the assistant',
    source: 'Transcript',
    async run(trial) {
      const roles = ['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'human_agent', 'assistant']
      const record = await trial.upload({ turns: roles.map((role) => ({ role, content: 'hi' })) })
      const { turn_count, user_turn_count, assistant_turn_count } = record
      expectEqual([turn_count, user_turn_count, assistant_turn_count], [8, 2, 3], 'the counts')
    },
  },
  {
    name: 'an upload with process false is skipped',
    source: 'States and transitions',
    async run(trial) {
      for (const { processing_status } of await records(trial, { process: false }))
        expectEqual(processing_status, 'skipped', 'processing_status')
    },
  },
  {
    name: 'an upload with process true, or without process, is queued or error',
    source: 'States and transitions',
    async run(trial) {
      for (const process of [true, undefined]) {
        const { processing_status: status } = await trial.upload({ process })
        expectThat(
          status === 'queued' || status === 'error',
          `processing_status: expected queued or error, got ${status}`,
        )
      }
    },
  },
  ...['name', 'turns'].map(
    (field): Rule => ({
      name: `an upload without ${field} is 400`,
      source: uploads,
      run: async (trial) => expectStatus(await uploading(trial, { [field]: undefined }), 400),
    }),
  ),
  ...['role', 'content'].map(
    (field): Rule => ({
      name: `a turn without ${field} is 400`,
      source: 'Turn',
      run: async (trial) =>
        expectStatus(await uploading(trial, { turns: [turn, { ...turn, [field]: undefined }] }), 400),
    }),
  ),
  ...invalid.map(
    ([field, sent]): Rule => ({
      name: `an upload with a ${field} of another type or form is 400`,
      source: uploads,
      async run(trial) {
        for (const [what, value] of sent) expectStatus(await uploading(trial, { [field]: value }), 400, what)
      },
    }),
  ),
  ...invalidInTurn.map(
    ([field, sent]): Rule => ({
      name: `a turn with a ${field} of another type or form is 400`,
      source: 'Turn',
      async run(trial) {
        for (const [what, value] of sent)
          expectStatus(await uploading(trial, { turns: [turn, { ...turn, [field]: value }] }), 400, what)
      },
    }),
  ),
  {
    name: 'a turn that is no object is 400',
    source: 'Turn',
    async run(trial) {
      for (const [what, item] of allBut('an object'))
        expectStatus(await uploading(trial, { turns: [turn, item] }), 400, what)
    },
  },
  {
    name: 'a turn may have any of the five roles, tool calls, tool results, metadata and a time',
    source: 'Turn',
    async run(trial) {
      const roles = ['user', 'assistant', 'system', 'tool', 'human_agent'].map((role) => ({ role, content: 'hi' }))
      const tools = ['text', 7, null, true, ['a'], { a: 1 }, {}].map((value) => ({
        ...turn,
        toolCalls: [{ name: 'f', args: value }],
        toolResults: [{ name: 'f', result: value }],
        metadata: { model: 'm', deep: [1, { a: null }] },
      }))
      const times = isoTimes.map((createdAt) => ({ ...turn, createdAt }))
      expectAccepted(await uploading(trial, { turns: [...roles, ...tools, ...times] }))
    },
  },
  {
    name: 'sourceTimestamp may be any ISO 8601 date or date-time',
    source: uploads,
    async run(trial) {
      for (const time of isoTimes) {
        const { source_timestamp } = await trial.upload({ sourceTimestamp: time })
        expectEqual(Math.floor(Date.parse(String(source_timestamp))), Date.parse(time), time)
      }
    },
  },
  {
    name: 'each field of an upload may have the greatest length',
    source: 'Limits › Surface B',
    async run(trial) {
      const word = trial.word()
      const texts = limits.map(([field, answered, max]) => [field, answered, word.repeat(500).slice(0, max)] as const)
      const record = await trial.upload(Object.fromEntries(texts.map(([field, , text]) => [field, text])))
      for (const [field, answered, text] of texts) expectEqual(record[answered], text, field)
    },
  },
  ...limits.map(
    ([field, , max]): Rule => ({
      name: `the ${field} of an upload may not have ${max + 1} characters`,
      source: 'Limits › Surface B',
      run: async (trial) => expectStatus(await uploading(trial, { [field]: 'x'.repeat(max + 1) }), 400),
    }),
  ),
  {
    name: 'an upload with an empty name is 400',
    source: 'Limits › Surface B',
    run: async (trial) => expectStatus(await uploading(trial, { name: '' }), 400),
  },
  {
    name: 'an upload may have 1000 turns, and not 1001 or none',
    source: 'Limits › Surface B',
    async run(trial) {
      const turns = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'hi' }))
      expectEqual((await trial.upload({ turns: turns(1000) })).turn_count, 1000, 'turn_count')
      for (const count of [1001, 0])
        expectStatus(await uploading(trial, { turns: turns(count) }), 400, `${count} turns`)
    },
  },
  ...malformed.map(
    ([what, change]): Rule => ({
      name: `an upload is 400 with ${what}`,
      source: uploads,
      async run(trial) {
        const body = change(JSON.stringify(upload()))
        const path = `/projects/${await trial.project()}/transcripts`
        expectStatus(await trial.ask(onB(path, { method: 'POST', body })), 400)
      },
    }),
  ),
  {
    name: 'an upload may have a Content-Type with parameters or capitals',
    source: uploads,
    async run(trial) {
      const path = `/projects/${await trial.project()}/transcripts`
      for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON'])
        expectAccepted(await trial.ask(onB(path, { body: upload(), headers: { 'content-type': type } })), type)
    },
  },
  {
    name: 'a refused upload stores nothing',
    source: uploads,
    async run(trial) {
      const path = `/projects/${await trial.project()}`
      const before = (await trial.read(path)).transcript_count
      for (const fields of [{ turns: undefined }, { turns: [{ role: 'x' }] }])
        expectStatus(await uploading(trial, fields), 400)
      expectEqual((await trial.read(path)).transcript_count, before, 'transcript_count')
    },
  },
  {
    name: 'the projectId of an upload must have the form hp-<uuid>: 400',
    source: uploads,
    async run({ ask }) {
      for (const id of badProjectIds)
        expectStatus(await ask(onB(`/projects/${id}/transcripts`, { body: upload() })), 400, id)
    },
  },
  {
    name: 'POST /halfpipe/transcripts answers like an upload, in snake_case, without success and workspaceId',
    source: 'Legacy routes',
    async run(trial) {
      await trial.legacy()
      const project = await trial.project()
      const fields = upload({ modelName: 'm' })
      const answer = await trial.ask(onB('/halfpipe/transcripts', { body: { ...fields, projectId: project } }))
      if (answer.status >= 300) throw new NotTried('its body is not shown')
      const record = await trial.recordOf(answer)
      expectEqual([record.model_name, record.turn_count], ['m', 1], 'model_name and turn_count')
      for (const name of ['createdAt', 'modelName', 'turnCount', 'workspaceId', 'success'])
        expectThat(!(name in record) && !(name in fieldsOf(answer.json)), `${name} is shown`)
    },
  },
]

export const rules: readonly Rule[] = [...projectRules, ...uploadRules]
