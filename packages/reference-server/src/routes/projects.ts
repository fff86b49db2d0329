import { pageOf } from '../ambiguities/index.js'
import { Refusal } from '../refusal.js'
import { readProjectCreate } from '../validation/index.js'
import type { StoredProject } from '../world/index.js'
import { type Context, created, type Operation, type Result, read, readJson, write } from './operation.js'
import { pageParameters, readPage, readQuery } from './query.js'

export async function createProject(context: Context): Promise<Result> {
  const { world, ambiguities } = context.server
  const { name, domain = 'general' } = readProjectCreate(
    await readJson(context, 'workspace'),
    ambiguities.charactersAre,
  )
  const { record } = world.createProject({ workspace: context.workspace, name, domain })
  return created(context, record, `/projects/${record.id}`)
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
  const { ambiguities, world } = server
  const query = readQuery(request.query, pageParameters, ambiguities.lenientQueries)
  const asked = readPage(query, ambiguities.lenientPaging)
  const list = { items: world.projects(workspace), ageMs: world.ages(), asked, number: server.countList() }
  const { data, ...shown } = pageOf<StoredProject>(list, ambiguities)
  return { status: 200, body: { data: data.map(({ record }) => record), ...shown } }
}

function getProject(context: Context): Result {
  const { record, extra } = findProject(context, context.params.projectId, 404)
  return { status: 200, body: { data: { ...extra, ...record } } }
}

export const projects: readonly Operation[] = [
  { ...write, id: 'projects.create', path: '/projects', body: 'project', run: createProject },
  { ...read, id: 'projects.list', path: '/projects', query: pageParameters, run: listProjects },
  { ...read, id: 'projects.get', path: '/projects/{projectId}', run: getProject },
]
