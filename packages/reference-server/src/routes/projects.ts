import { Refusal } from '../refusal.js'
import { readProjectCreate } from '../validation/index.js'
import type { StoredProject } from '../world/index.js'
import { type Context, type Operation, type Result, readJson } from './operation.js'
import { pageParameters, paginate, readPage, readQuery } from './query.js'

export async function createProject(context: Context): Promise<Result> {
  const { world, readings } = context.server
  const { name, domain = 'general' } = readProjectCreate(await readJson(context, 'workspace'), readings.charactersAre)
  return { status: 201, body: { data: world.createProject({ workspace: context.workspace, name, domain }).record } }
}

/** The project with an id, or a 404. A project of another workspace is refused with `otherWorkspace`. */
export function findProject(
  { workspace, server }: Context,
  id: string | undefined,
  otherWorkspace: 403 | 404,
): StoredProject {
  const project = id === undefined ? undefined : server.world.project(id)
  if (project?.workspace === workspace) return project
  if (project && otherWorkspace === 403) throw new Refusal(403, 'The project belongs to another workspace.')
  throw new Refusal(404, 'There is no such project.')
}

function listProjects({ request, workspace, server }: Context): Result {
  const { lenientPaging, lenientQueries } = server.readings
  const query = readQuery(request.query, pageParameters, lenientQueries)
  const { data, pagination } = paginate(server.world.projects(workspace), readPage(query, lenientPaging))
  return { status: 200, body: { data: data.map(({ record }) => record), pagination } }
}

function getProject(context: Context): Result {
  const { record, extra } = findProject(context, context.params.projectId, 404)
  return { status: 200, body: { data: { ...extra, ...record } } }
}

const read = { surface: 'workspace', method: 'GET', permission: 'projects-read', limits: 'key' } as const
const write = { surface: 'workspace', method: 'POST', permission: 'projects-write', limits: 'key' } as const

export const projects: readonly Operation[] = [
  { ...write, id: 'projects.create', path: '/projects', run: createProject },
  { ...read, id: 'projects.list', path: '/projects', run: listProjects },
  { ...read, id: 'projects.get', path: '/projects/{projectId}', run: getProject },
]
