import { anAnnotation, onA, onB, unknownProject, unknownTranscript } from './asking-fixture.js'
import { Model, type Reported } from './model.js'
import { placed, type Step, type Uploaded } from './model-steps.js'
import type { Answered, Ask } from './rule.js'
import type { Transport } from './transports/transport.js'
import { openTrial } from './trial.js'

/** The first step at which server and model differ, and the report of each. */
export interface Parting {
  step: number
  reported: Reported | undefined
  expected: Reported | undefined
}

/** Takes steps at a new server and at a new model, up to where they part; undefined where they do not. */
export async function parting(transport: Transport, steps: readonly Step[]): Promise<Parting | undefined> {
  const { trial, close } = await openTrial(transport, {})
  const { ask, keys, advance } = trial
  const { world } = trial.server
  const { headers } = await ask(onA('/health'))
  const model = new Model(Date.parse(headers.date ?? ''))
  try {
    for (const [step, taken] of steps.entries()) {
      if (taken.do === 'wait') await advance(taken.ms)
      else if (taken.do === 'revoke' || taken.do === 'restore' || taken.do === 'delete') {
        if (world.key(keys[taken.key])) world[taken.do](keys[taken.key])
      }
      const request = requestOf(taken, model)
      const answer = request && (await ask({ ...request, key: 'key' in taken ? keys[taken.key] : null }))
      const reported = answer && toldBy(answer)
      const expected = model.take(taken, answer?.json?.data?.id ?? '')
      if (JSON.stringify(reported) !== JSON.stringify(expected)) return { step, reported, expected }
    }
    return undefined
  } finally {
    await close()
  }
}

/** The request of a step; none for what is done to the server itself. */
function requestOf(step: Step, { projects, transcripts }: Model): Ask | undefined {
  const projectId = 'project' in step ? (placed(projects, step.project)?.id ?? unknownProject) : ''
  const query = 'query' in step ? `?${new URLSearchParams(Object.entries(step.query).flatMap(given))}` : ''
  switch (step.do) {
    case 'create project':
      return onB(step.legacy ? '/halfpipe/sessions' : '/projects', { body: { name: step.name } })
    case 'list projects':
      return onB(`/projects${query}`)
    case 'read project':
      return onB(`/projects/${projectId}`)
    case 'upload': {
      const body = bodyOf(step.upload)
      if (step.legacy) return onB('/halfpipe/transcripts', { body: { ...body, projectId } })
      return onB(`/projects/${projectId}/transcripts`, { body })
    }
    case 'list transcripts':
      return onB(`/projects/${projectId}/transcripts${query}`)
    case 'read transcript':
      return onB(`/transcripts/${placed(transcripts, step.transcript)?.id ?? unknownTranscript}`)
    case 'annotate':
      return onA('/v1/annotations', { body: anAnnotation('structural') })
    default:
      return undefined
  }
}

const given = ([name, value]: [string, unknown]) => (value === undefined ? [] : [[name, String(value)]])

const bodyOf = ({ contents, ...rest }: Uploaded) => ({
  ...rest,
  turns: contents.map((content) => ({ role: 'user', content })),
})

/** The parts of an answer that the model predicts. */
function toldBy({ status, json }: Answered): Reported {
  const data = json?.data
  if (Array.isArray(data)) return { status, list: data.map(known), pagination: json.pagination }
  return data === undefined ? { status } : { status, record: known(data) }
}

const instants = ['latest_transcript_at', 'created_at', 'updated_at', 'source_timestamp']
const projectFields = ['id', 'name', 'transcript_count', ...instants.slice(0, 3)]
const counts = ['turn_count', 'user_turn_count', 'assistant_turn_count']
const transcriptFields = ['id', 'name', 'language', ...counts, 'source_timestamp', 'created_at', 'processing_status']

/** The fields of a record that the model tells too, in its order and with its times. */
function known(record: Readonly<Record<string, unknown>>): object {
  const names = 'transcript_count' in record ? projectFields : transcriptFields
  const fields = names.map((name) => [name, instants.includes(name) ? instant(record[name]) : record[name]])
  const { turns } = record
  if (Array.isArray(turns)) fields.push(['contents', turns.map(({ content }) => content)])
  return Object.fromEntries(fields)
}

const instant = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : value)
