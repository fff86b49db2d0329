import { rules as annotationFields } from './annotation-fields.rules.js'
import { rules as annotations } from './annotations.rules.js'
import { rules as batches } from './batches.rules.js'
import { rules as counts } from './counts.rules.js'
import type { Defects } from './defect.js'
import { rules as health } from './health.rules.js'
import { rules as shapes } from './shapes.rules.js'
import { rules as states } from './states.rules.js'

const records = 'records.ts'
const world = 'world.ts'
const refusal = 'refusal.ts'
const annotation = 'operations/annotation.ts'

export const ofShapes: Defects = {
  likely: shapes,
  defects: [
    {
      name: "answers in the other surface's envelope",
      file: refusal,
      find: "if (surface === 'annotation') return { error:",
      replace: "if (surface !== 'annotation') return { error:",
    },
    { name: 'calls a 403 something else', file: refusal, find: "'authorization_error'", replace: "'permission_error'" },
    { name: 'calls a 404 an invalid request', file: refusal, find: "  404: 'not_found_error',\n", replace: '' },
    { name: 'leaves the code out', file: refusal, find: ', code: status }', replace: ' }' },
    { name: 'gives the code as a text', file: refusal, find: 'code: status }', replace: 'code: String(status) }' },
    {
      name: 'leaves the detail out',
      file: refusal,
      find: ', detail: message }',
      replace: ' }',
    },
    {
      name: 'gives a processing time that is no number',
      file: 'route.ts',
      find: 'processing_time_ms: clock.now() - at',
      replace: 'processing_time_ms: String(clock.now() - at)',
    },
    {
      name: 'gives no processing time',
      file: 'route.ts',
      find: 'processing_time_ms:',
      replace: 'processingTimeMs:',
    },
    {
      name: 'leaves out a field that is null',
      file: records,
      find: 'upload.modelName ?? null',
      replace: 'upload.modelName',
    },
    {
      name: 'gives metadata as null',
      file: records,
      find: 'upload.metadata ?? {}',
      replace: 'upload.metadata ?? null',
    },
    {
      name: 'mixes the external ids up',
      file: records,
      find: 'upload.externalUserId ?? null',
      replace: 'upload.externalId ?? null',
    },
    {
      name: 'gives the time of the upload as that of the conversation',
      file: records,
      find: 'sourceMs === undefined ? null : toIso(sourceMs)',
      replace: 'toIso(sourceMs ?? now)',
    },
    {
      name: 'reads a transcript without its turns',
      file: 'operations/transcripts.ts',
      find: '{ ...record, turns, annotations }',
      replace: '{ ...record, annotations }',
    },
    {
      name: 'lists transcripts with their turns',
      file: 'operations/transcripts.ts',
      find: 'data.map((item) => item.record)',
      replace: 'data.map((item) => ({ ...item.record, turns: item.turns }))',
    },
    {
      name: 'says in which workspace a project is',
      file: 'operations/projects.ts',
      find: '{ ...extra, ...record }',
      replace: '{ ...extra, ...record, workspaceId: context.workspace }',
    },
    {
      name: 'lets a summary take the place of fields',
      file: 'operations/projects.ts',
      find: '{ ...extra, ...record }',
      replace: '{ ...record, ...extra }',
    },
    {
      name: 'shows summaries in the list',
      file: 'operations/projects.ts',
      find: 'data.map(({ record }) => record)',
      replace: 'data.map(({ record, extra }) => ({ ...extra, ...record }))',
    },
    {
      name: 'gives projects ids of another form',
      file: world,
      find: 'options.id ?? `hp-',
      replace: 'options.id ?? `p-',
    },
    {
      name: 'gives transcripts ids of another form',
      file: world,
      find: 'upload.id ?? `tr_',
      replace: 'upload.id ?? `tr-',
    },
    {
      name: 'answers 200 to an upload',
      file: 'operations/transcripts.ts',
      find: 'return { status: 201, body: { data: record } }',
      replace: 'return { status: 200, body: { data: record } }',
    },
  ],
}

export const ofCounts: Defects = {
  likely: [...counts, ...states],
  defects: [
    {
      name: 'loses a count',
      file: records,
      find: 'transcript_count + 1',
      replace: 'transcript_count',
    },
    {
      name: 'forgets the time of the latest transcript',
      file: records,
      find: 'latest_transcript_at: at,',
      replace: 'latest_transcript_at: null,',
    },
    {
      name: 'takes the time of the conversation for that of the upload',
      file: world,
      find: 'afterUpload(project.record, record.created_at)',
      replace:
        '{ ...afterUpload(project.record, record.created_at), latest_transcript_at: record.source_timestamp ?? record.created_at }',
    },
    {
      name: 'does not move updated_at',
      file: records,
      find: '  updated_at: at,\n',
      replace: '  updated_at: created_at,\n',
    },
    {
      name: 'counts agents as assistants',
      file: records,
      find: "if (role === 'assistant')",
      replace: "if (role === 'assistant' || role === 'human_agent')",
    },
    {
      name: 'counts users as assistants',
      file: records,
      find: "if (role === 'assistant')",
      replace: "if (role === 'user')",
    },
    {
      name: 'counts three bytes as a token',
      file: 'text.ts',
      find: 'utf8Length(text) / 4',
      replace: 'utf8Length(text) / 3',
    },
    {
      name: 'skips an upload unless told to',
      file: world,
      find: 'upload.process !== false',
      replace: 'upload.process === true',
    },
    { name: 'never fails to submit', file: world, find: "? 'queued' : 'error'", replace: "? 'queued' : 'queued'" },
    {
      name: 'submits a job for every upload',
      file: world,
      find: "if (upload.process !== false) record.processing_status = this.#isSubmitted(record) ? 'queued' : 'error'",
      replace:
        "const state = this.submit(record) ? 'queued' : 'error'\n    if (upload.process !== false) record.processing_status = state",
    },
  ],
}

export const ofAnnotations: Defects = {
  likely: [...annotations, ...batches, ...health, ...annotationFields],
  defects: [
    {
      name: 'leaves the version of the annotator out',
      file: 'annotator.ts',
      find: '    annotator_version,\n    taxonomy_version,\n    usage',
      replace: '    taxonomy_version,\n    usage',
    },
    { name: 'counts turns from 0', file: 'conversation.ts', find: 'turn: i + 1', replace: 'turn: i' },
    {
      name: 'takes messages for hidden unless told otherwise',
      file: 'conversation.ts',
      find: 'is_user_visible: visible = true',
      replace: 'is_user_visible: visible = false',
    },
    {
      name: 'gives latency as a text',
      file: 'annotator.ts',
      find: 'latency_ms: Math.round(',
      replace: 'latency_ms: String(',
    },
    {
      name: 'takes the first annotator for one that it does not know',
      file: annotation,
      find: 'annotators.find(({ id }) => id === request.annotator)',
      replace: 'annotators.find(({ id }) => id === request.annotator) ?? annotators[0]',
    },
    {
      name: 'says what went wrong inside',
      file: 'route.ts',
      find: 'failed(surface)',
      replace: 'refused(surface, new Refusal(500, String(error)))',
    },
    {
      name: 'answers 400 to the body of a batch',
      file: annotation,
      find: "path: '/v1/batches', run: createBatch",
      replace: "path: '/v1/batches', run: async (context) => (await readJson(context, 'annotation'), createBatch())",
    },
    {
      name: 'does not look at the id of a batch',
      file: annotation,
      find: 'if (problem) throw',
      replace: 'if (false) throw',
    },
    {
      name: 'takes an id of 254 characters at most',
      file: annotation,
      find: '[...id].length > 255',
      replace: '[...id].length >= 255',
    },
    { name: 'counts UTF-16 units of an id', file: annotation, find: '[...id].length', replace: 'id.length' },
    {
      name: 'draws its envelope around a validation error',
      file: refusal,
      find: 'if (validation) return { detail: validation }',
      replace: '',
    },
    {
      name: 'always runs on the same substrate',
      file: annotation,
      find: 'substrate: server.substrate',
      replace: "substrate: 'lambda'",
    },
  ],
}
