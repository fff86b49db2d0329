import { pageOf, shownRow, shownTurns, storedMetadata } from '../ambiguities/index.js'
import { Refusal } from '../refusal.js'
import type { TranscriptUpload } from '../types.js'
import { checkTurnBytes, isObject, readTranscriptUpload, type Validator } from '../validation/index.js'
import { isProjectId, type StoredTranscript } from '../world/index.js'
import { type Context, created, type Operation, type Result, read, readJson, write } from './operation.js'
import { createProject, findProject } from './projects.js'
import { listParameters, matches, pageParameters, readFilter, readPage, readQuery } from './query.js'

function store(context: Context, projectId: string, upload: TranscriptUpload): Result {
  const { server, canSubmit } = context
  const { world, ambiguities } = server
  const { metadata = {}, externalId } = upload
  if (ambiguities.metadata === 'svc refused' && Object.hasOwn(metadata, 'svc'))
    throw new Refusal(400, 'metadata.svc: the name svc is reserved')
  const project = findProject(context, projectId, 403)
  if (
    ambiguities.externalIdUnique &&
    externalId !== undefined &&
    hasExternalId(world.transcripts(projectId), externalId)
  )
    throw new Refusal(409, 'externalId: the project has a transcript with this id')
  const failed = !canSubmit && upload.process !== false && ({ processing_status: 'error' } as const)
  const stored = { ...upload, metadata: storedMetadata(metadata, ambiguities.metadata), ...failed }
  const { record } = world.createTranscript(project, stored)
  return created(context, record, `/transcripts/${record.id}`)
}

const hasExternalId = (transcripts: readonly StoredTranscript[], id: string) =>
  transcripts.some(({ record }) => record.external_id === id)

async function uploadTranscript(context: Context): Promise<Result> {
  const { projectId } = context.params
  if (!isProjectId(projectId)) throw new Refusal(400, 'projectId: expected the form hp-<uuid>')
  const { turnBytes, charactersAre } = context.server.ambiguities
  const body = await readJson(context, 'workspace')
  checkTurnBytes(body, turnBytes)
  return store(context, projectId, readTranscriptUpload(body, charactersAre))
}

function listTranscripts(context: Context): Result {
  const { server, params } = context
  const { world, ambiguities } = server
  const parameters = ambiguities.filters === 'ignored' ? pageParameters : listParameters
  const query = readQuery(context.request.query, parameters, ambiguities.lenientQueries)
  const asked = readPage(query, ambiguities.lenientPaging)
  const filter = readFilter(query, ambiguities)
  const { record } = findProject(context, params.projectId, ambiguities.foreignList403 ? 403 : 404)
  // One time for the whole list: the clock may advance while it is searched.
  const now = server.clock.now()
  const annotationOf = (item: StoredTranscript, key: string) => server.pipeline.annotationOf(item, key, now)
  const all = world.transcripts(record.id)
  const items = filter ? all.filter((item) => matches(filter, item, annotationOf)) : all
  const filterLagMs = filter && ambiguities.filters === 'lagging' ? ambiguities.filterLagMs : 0
  const list = { items, ageMs: world.ages(), asked, filterLagMs, number: server.countList() }
  const { data, ...shown } = pageOf<StoredTranscript>(list, ambiguities)
  return { status: 200, body: { data: data.map((item) => shownRow(item.record, ambiguities.rowFields)), ...shown } }
}

function getTranscript({ params, workspace, server }: Context): Result {
  const id = params.transcriptId
  const transcript = id === undefined ? undefined : server.world.transcript(id)
  if (transcript?.workspace !== workspace) throw new Refusal(404, 'There is no such transcript.')
  const { record, turns } = transcript
  const annotations = server.pipeline.annotationsOf(transcript)
  return { status: 200, body: { data: { ...record, ...shownTurns(turns, server.ambiguities.turns), annotations } } }
}

export const transcripts: readonly Operation[] = [
  {
    ...write,
    id: 'transcripts.upload',
    path: '/projects/{projectId}/transcripts',
    body: 'upload',
    run: uploadTranscript,
  },
  {
    ...read,
    id: 'transcripts.list',
    path: '/projects/{projectId}/transcripts',
    query: listParameters,
    run: listTranscripts,
  },
  { ...read, id: 'transcripts.get', path: '/transcripts/{transcriptId}', run: getTranscript },
]

/** The interface does not show this body: it is read as an upload with the project in `projectId` or `sessionId`. */
const projectIdOf = (body: unknown) => (isObject(body) ? (body.projectId ?? body.sessionId) : undefined)

const projectReference: Validator = (body, out) => {
  if (!isProjectId(projectIdOf(body))) out.push({ pointer: '/projectId', expected: 'expected the form hp-<uuid>' })
}

async function createTranscript(context: Context): Promise<Result> {
  const { turnBytes, charactersAre } = context.server.ambiguities
  const body = await readJson(context, 'workspace')
  checkTurnBytes(body, turnBytes)
  const upload = readTranscriptUpload(body, charactersAre, projectReference)
  return store(context, projectIdOf(body) as string, upload)
}

export const legacy: readonly Operation[] = [
  { ...write, id: 'legacy.createSession', path: '/halfpipe/sessions', run: createProject },
  { ...write, id: 'legacy.createTranscript', path: '/halfpipe/transcripts', run: createTranscript },
]
