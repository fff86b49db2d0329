import { Refusal } from '../refusal.js'
import type { TranscriptUpload } from '../types.js'
import { checkTurnBytes, isObject, readTranscriptUpload } from '../validation/index.js'
import { isProjectId, type StoredProject } from '../world/index.js'
import { type Context, type Operation, type Result, readJson } from './operation.js'
import { createProject } from './projects.js'
import { matches, paginate, readFilter, readPage } from './query.js'

/** Stores an upload: 404 for a project that does not exist, 403 for one of another workspace. */
function store({ workspace, server, canSubmit }: Context, projectId: string, upload: TranscriptUpload): Result {
  const project = server.world.project(projectId)
  if (!project) throw new Refusal(404, 'There is no such project.')
  if (project.workspace !== workspace) throw new Refusal(403, 'The project belongs to another workspace.')
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
  const { server } = context
  const query = new URLSearchParams(context.call.query)
  const page = readPage(query, server.readings.lenientPaging)
  const filter = readFilter(query)
  const { record } = listableProject(context)
  const { annotationOf } = server.pipeline
  const found = server.world.transcripts(record.id).filter((item) => matches(filter, item, annotationOf))
  const { data, pagination } = paginate(found, page)
  return { status: 200, body: { data: data.map((item) => item.record), pagination } }
}

function listableProject({ params, workspace, server }: Context): StoredProject {
  const project = params.projectId === undefined ? undefined : server.world.project(params.projectId)
  if (project?.workspace === workspace) return project
  if (project && server.readings.foreignList403) throw new Refusal(403, 'The project belongs to another workspace.')
  throw new Refusal(404, 'There is no such project.')
}

function getTranscript({ params, workspace, server }: Context): Result {
  const id = params.transcriptId
  const transcript = id === undefined ? undefined : server.world.transcript(id)
  if (transcript?.workspace !== workspace) throw new Refusal(404, 'There is no such transcript.')
  const { record, turns } = transcript
  const annotations = server.pipeline.annotationsOf(transcript)
  return { status: 200, body: { data: { ...record, turns, annotations } } }
}

const workspace = { surface: 'workspace', limits: 'key' } as const

export const transcripts: readonly Operation[] = [
  {
    ...workspace,
    id: 'transcripts.upload',
    method: 'POST',
    path: '/projects/{projectId}/transcripts',
    permission: 'projects-write',
    run: uploadTranscript,
  },
  {
    ...workspace,
    id: 'transcripts.list',
    method: 'GET',
    path: '/projects/{projectId}/transcripts',
    permission: 'projects-read',
    run: listTranscripts,
  },
  {
    ...workspace,
    id: 'transcripts.get',
    method: 'GET',
    path: '/transcripts/{transcriptId}',
    permission: 'projects-read',
    run: getTranscript,
  },
]

/** The body is not shown; it is read as that of an upload, with the project named in `projectId` or `sessionId`. */
async function createTranscript(context: Context): Promise<Result> {
  const { turnBytes, charactersAre } = context.server.readings
  const body = await readJson(context, 'workspace')
  checkTurnBytes(body, turnBytes)
  const id = isObject(body) ? (body.projectId ?? body.sessionId) : undefined
  const misnamed = isProjectId(id) ? [] : [{ pointer: '/projectId', expected: 'expected the form hp-<uuid>' }]
  const upload = readTranscriptUpload(body, charactersAre, misnamed)
  return store(context, id as string, upload)
}

const legacyWrite = { surface: 'workspace', method: 'POST', permission: 'projects-write', limits: 'key' } as const

export const legacy: readonly Operation[] = [
  { ...legacyWrite, id: 'legacy.createSession', path: '/halfpipe/sessions', run: createProject },
  { ...legacyWrite, id: 'legacy.createTranscript', path: '/halfpipe/transcripts', run: createTranscript },
]
