import { Refusal } from '../refusal.js'
import type { TranscriptUpload } from '../types.js'
import { checkTurnBytes, isObject, readTranscriptUpload, type Validator } from '../validation/index.js'
import { isProjectId, type StoredTranscript } from '../world/index.js'
import { type Context, type Operation, type Result, readJson } from './operation.js'
import { createProject, findProject } from './projects.js'
import { filterParameters, matches, pageParameters, paginate, readFilter, readPage, readQuery } from './query.js'

function store(context: Context, projectId: string, upload: TranscriptUpload): Result {
  const { server, canSubmit } = context
  const project = findProject(context, projectId, 403)
  const failed = !canSubmit && upload.process !== false && ({ processing_status: 'error' } as const)
  const { record } = server.world.createTranscript(project, failed ? { ...upload, ...failed } : upload)
  return { status: 201, body: { data: record } }
}

async function uploadTranscript(context: Context): Promise<Result> {
  const { projectId } = context.params
  if (!isProjectId(projectId)) throw new Refusal(400, 'projectId: expected the form hp-<uuid>')
  const { turnBytes, charactersAre } = context.server.readings
  const body = await readJson(context, 'workspace')
  checkTurnBytes(body, turnBytes)
  return store(context, projectId, readTranscriptUpload(body, charactersAre))
}

function listTranscripts(context: Context): Result {
  const { server, params } = context
  const { lenientPaging, lenientQueries } = server.readings
  const query = readQuery(context.request.query, [...pageParameters, ...filterParameters], lenientQueries)
  const page = readPage(query, lenientPaging)
  const filter = readFilter(query, lenientQueries)
  const { record } = findProject(context, params.projectId, server.readings.foreignList403 ? 403 : 404)
  // One time for the whole list: the clock may advance while it is searched.
  const now = server.clock.now()
  const annotationOf = (item: StoredTranscript, key: string) => server.pipeline.annotationOf(item, key, now)
  const found = server.world.transcripts(record.id).filter((item) => matches(filter, item, annotationOf))
  const { data, pagination } = paginate(found, page)
  return { status: 200, body: { data: data.map((item) => item.record), pagination } }
}

function getTranscript({ params, workspace, server }: Context): Result {
  const id = params.transcriptId
  const transcript = id === undefined ? undefined : server.world.transcript(id)
  if (transcript?.workspace !== workspace) throw new Refusal(404, 'There is no such transcript.')
  const { record, turns } = transcript
  const annotations = server.pipeline.annotationsOf(transcript)
  return { status: 200, body: { data: { ...record, turns, annotations } } }
}

const read = { surface: 'workspace', method: 'GET', permission: 'projects-read', limits: 'key' } as const
const write = { surface: 'workspace', method: 'POST', permission: 'projects-write', limits: 'key' } as const

export const transcripts: readonly Operation[] = [
  { ...write, id: 'transcripts.upload', path: '/projects/{projectId}/transcripts', run: uploadTranscript },
  { ...read, id: 'transcripts.list', path: '/projects/{projectId}/transcripts', run: listTranscripts },
  { ...read, id: 'transcripts.get', path: '/transcripts/{transcriptId}', run: getTranscript },
]

/** The interface does not show this body: it is read as an upload with the project in `projectId` or `sessionId`. */
const projectIdOf = (body: unknown) => (isObject(body) ? (body.projectId ?? body.sessionId) : undefined)

const projectReference: Validator = (body, out) => {
  if (!isProjectId(projectIdOf(body))) out.push({ pointer: '/projectId', expected: 'expected the form hp-<uuid>' })
}

async function createTranscript(context: Context): Promise<Result> {
  const { turnBytes, charactersAre } = context.server.readings
  const body = await readJson(context, 'workspace')
  checkTurnBytes(body, turnBytes)
  const upload = readTranscriptUpload(body, charactersAre, projectReference)
  return store(context, projectIdOf(body) as string, upload)
}

export const legacy: readonly Operation[] = [
  { ...write, id: 'legacy.createSession', path: '/halfpipe/sessions', run: createProject },
  { ...write, id: 'legacy.createTranscript', path: '/halfpipe/transcripts', run: createTranscript },
]
