import { type KeyName, NotTried, unknownProject, unknownTranscript } from '../service.js'
import {
  dataOf,
  expectAccepted,
  expectEqual,
  expectStatus,
  expectThat,
  idsOf,
  onA,
  onB,
  type Rule,
  type Trial,
  upload,
} from '../trial.js'
import { annotationOperations, type Operation, workspaceOperations } from './operations.js'

const operations = [...annotationOperations, ...workspaceOperations]

const surfaceOf = ({ request }: Operation) => request().surface
const sourceOf = (operation: Operation) =>
  surfaceOf(operation) === 'annotation' ? 'Authentication › Surface A' : 'Authentication › Surface B'

/** Every operation is refused to a kind of key. */
const refusedTo = (
  what: string,
  key: (trial: Trial) => string | null,
  status: (operation: Operation) => number | undefined,
) =>
  operations.flatMap((operation): Rule[] => {
    const code = status(operation)
    if (code === undefined) return []
    return [
      {
        name: `${operation.name} with ${what} is ${code}`,
        source: sourceOf(operation),
        async run(trial) {
          const credential = key(trial)
          if (operation.isLegacy) await trial.legacy()
          expectStatus(await trial.ask({ ...operation.request(), key: credential }), code)
        },
      },
    ]
  })

const probes = [onA('/v1/batches/b1'), onB('/projects?limit=1')]

const ownKey = ({ key }: Trial, surface: string) => key(surface === 'annotation' ? 'annotation' : 'workspace')

/** Try a rule on each surface that can be asked; on none, it is not tried. */
async function onEach(
  trial: Trial,
  run: (probe: (typeof probes)[number], key: string) => Promise<void>,
): Promise<void> {
  let reason: NotTried | undefined
  let isTried = false
  for (const probe of probes) {
    try {
      await run(probe, ownKey(trial, probe.surface))
      isTried = true
    } catch (error) {
      if (!(error instanceof NotTried)) throw error
      reason = error
    }
  }
  if (!isTried && reason) throw reason
}

/** Values of Authorization that contain no key. */
const withoutKey: readonly [string, (key: string) => string][] = [
  ['a key without a scheme', (key) => key],
  ['a key under the scheme Basic', (key) => `Basic ${key}`],
  ['a scheme without a key', () => 'Bearer'],
]

/** Keys that are almost one. */
const almost: readonly [string, (key: string) => string][] = [
  ['one character more than a key', (key) => `${key}x`],
  ['one character less than a key', (key) => key.slice(0, -1)],
  ['the prefix of new keys alone', () => 'sk-service-api03-'],
  ['the prefix of legacy keys alone', () => 'sk-legacy-api03-'],
]

const grants: readonly [KeyName, string, readonly string[]][] = [
  ['workspace', 'no restriction', ['projects-read', 'projects-write']],
  ['reader', 'projects-read alone', ['projects-read']],
  ['writer', 'projects-write alone', ['projects-write']],
  ['legacy', 'halfpipe-transcripts-write alone', ['projects-write']],
]

export const rules: readonly Rule[] = [
  ...refusedTo(
    'no key',
    () => null,
    () => 401,
  ),
  ...refusedTo(
    'an unknown key',
    () => 'sk-service-api03-nobody',
    () => 401,
  ),
  // What the workspace surface answers is not said.
  ...refusedTo(
    'a revoked key',
    ({ key }) => key('revoked'),
    (operation) => (surfaceOf(operation) === 'annotation' ? 403 : undefined),
  ),
  ...withoutKey.map(
    ([what, header]): Rule => ({
      name: `${what} is 401`,
      source: 'Authentication',
      run: (trial) =>
        onEach(trial, async (probe, key) =>
          expectStatus(await trial.ask({ ...probe, key: null, headers: { authorization: header(key) } }), 401),
        ),
    }),
  ),
  ...almost.map(
    ([what, change]): Rule => ({
      name: `${what} is 401`,
      source: 'Authentication',
      run: (trial) =>
        onEach(trial, async (probe, key) => expectStatus(await trial.ask({ ...probe, key: change(key) }), 401)),
    }),
  ),
  {
    name: 'the scheme Bearer is read without regard to case',
    source: 'Authentication (RFC 9110, 11.1)',
    run: (trial) =>
      onEach(trial, async (probe, key) => {
        const { status } = await trial.ask({ ...probe, key: null, headers: { authorization: `bearer ${key}` } })
        expectThat(status === 200 || status === 501, `expected success or 501, got ${status}`)
      }),
  },
  {
    name: 'a key in another header is no key',
    source: 'Authentication',
    run: (trial) =>
      onEach(trial, async (probe, key) =>
        expectStatus(await trial.ask({ ...probe, key: null, headers: { 'x-api-key': key, 'api-key': key } }), 401),
      ),
  },
  {
    name: 'a refusal does not show the key that was sent',
    source: 'Authentication',
    run: (trial) =>
      onEach(trial, async (probe) => {
        const key = 'sk-service-api03-0123456789abcdef'
        expectThat(!(await trial.ask({ ...probe, key })).text.includes(key), 'the body shows the key')
      }),
  },
  ...grants.flatMap(([name, what, granted]) =>
    workspaceOperations.map((operation): Rule => {
      const isGranted = granted.includes(operation.needs ?? '')
      return {
        name: `a key with ${what} ${isGranted ? 'may' : 'may not'} ${operation.name}`,
        source: 'Authentication › Surface B',
        async run(trial) {
          const key = trial.key(name)
          if (operation.isLegacy) await trial.legacy()
          const request = operation.request(await trial.project(), await trial.transcript())
          const answer = await trial.ask({ ...request, key })
          if (isGranted && operation.isLegacy && answer.status === 400) throw new NotTried('its body is not shown')
          if (isGranted) expectAccepted(answer)
          else expectStatus(answer, 403)
        },
      }
    }),
  ),
  {
    name: 'a write that its key may not do stores nothing',
    source: 'Authentication › Surface B',
    async run(trial) {
      const key = trial.key('reader')
      const path = `/projects/${await trial.project()}`
      const before = await trial.read(path)
      await trial.ask(onB(`${path}/transcripts`, { key, body: upload() }))
      expectEqual((await trial.read(path)).transcript_count, before.transcript_count, 'transcript_count')
    },
  },
  {
    name: 'a record is seen by every key of its workspace',
    source: 'Authentication › Surface B',
    async run(trial) {
      const key = trial.key('reader')
      const id = await trial.transcript()
      const answer = await trial.ask(onB(`/transcripts/${id}`, { key }))
      expectStatus(answer, 200)
    },
  },
  {
    name: 'an upload into a project that does not exist is 404',
    source: 'POST /projects/{projectId}/transcripts',
    run: async ({ ask }) =>
      expectStatus(await ask(onB(`/projects/${unknownProject}/transcripts`, { body: upload() })), 404),
  },
  {
    name: 'an unknown project or transcript is 404',
    source: 'GET /projects/{projectId}',
    async run({ ask }) {
      expectStatus(await ask(onB(`/projects/${unknownProject}`)), 404, 'the project')
      expectStatus(await ask(onB(`/transcripts/${unknownTranscript}`)), 404, 'the transcript')
    },
  },
  {
    name: 'a project and a transcript of another workspace are 404',
    source: 'GET /projects/{projectId}',
    async run(trial) {
      const { id } = await trial.newProject('foreign')
      expectStatus(await trial.ask(onB(`/projects/${id}`)), 404, 'the project')
      const sent = onB(`/projects/${id}/transcripts`, { key: trial.key('foreign'), body: upload() })
      const answer = await trial.ask(sent)
      const stored = dataOf(answer).id ?? answer.headers.location?.split('/').at(-1)
      if (stored === undefined) throw new NotTried('the answer to an upload shows no record')
      expectStatus(await trial.ask(onB(`/transcripts/${stored}`)), 404, 'the transcript')
    },
  },
  {
    name: 'an upload into a project of another workspace is 403 and stores nothing',
    source: 'POST /projects/{projectId}/transcripts',
    async run(trial) {
      const { id } = await trial.newProject('foreign')
      expectStatus(await trial.ask(onB(`/projects/${id}/transcripts`, { body: upload() })), 403)
      const { json } = await trial.ask(onB(`/projects/${id}`, { key: trial.key('foreign') }))
      expectEqual(dataOf({ json }).transcript_count, 0, 'transcript_count')
    },
  },
  {
    name: 'a list of projects shows no project of another workspace',
    source: 'Authentication › Surface B',
    async run(trial) {
      const { id } = await trial.newProject('foreign')
      expectThat(!idsOf(await trial.ask(onB('/projects?limit=100'))).includes(id), 'the list shows it')
    },
  },
]
