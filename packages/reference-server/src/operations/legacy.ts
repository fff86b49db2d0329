import { checkTurnBytes, readTranscriptUpload } from '../bodies.js'
import { isProjectId } from '../ids.js'
import { type Context, type Operation, type Result, readJson } from '../operation.js'
import { isObject } from '../shape.js'
import { createProject } from './projects.js'
import { store } from './transcripts.js'

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
