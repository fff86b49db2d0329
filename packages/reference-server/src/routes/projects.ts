import { Refusal } from '../refusal.js'
import { readProjectCreate } from '../validation/index.js'
import type { StoredProject } from '../world/index.js'
import { type Context, type Operation, type Result, readJson } from './operation.js'
import { paginate, readPage } from './query.js'

/** Creates a project in the workspace of the key. */
export async function createProject(context: Context): Promise<Result> {
  const { world, readings } = context.server
  const { name, domain = 'general' } = readProjectCreate(await readJson(context, 'workspace'), readings.charactersAre)
  return { status: 201, body: { data: world.createProject({ workspace: context.workspace, name, domain }).record } }
}

/** A project that the key may read; one of another workspace is as unknown as one that is not there. */
export function readableProject({ params, workspace, server }: Context): StoredProject {
  const project = params.projectId === undefined ? undefined : server.world.project(params.projectId)
  if (project?.workspace !== workspace) throw new Refusal(404, 'There is no such project.')
  return project
}

function listProjects({ call, workspace, server }: Context): Result {
  const { data, pagination } = paginate(
    server.world.projects(workspace),
    readPage(new URLSearchParams(call.query), server.readings.lenientPaging),
  )
  return { status: 200, body: { data: data.map(({ record }) => record), pagination } }
}

function getProject(context: Context): Result {
  const { record, extra } = readableProject(context)
  return { status: 200, body: { data: { ...extra, ...record } } }
}

const workspace = { surface: 'workspace', limits: 'key' } as const

export const projects: readonly Operation[] = [
  {
    ...workspace,
    id: 'projects.create',
    method: 'POST',
    path: '/projects',
    permission: 'projects-write',
    run: createProject,
  },
  {
    ...workspace,
    id: 'projects.list',
    method: 'GET',
    path: '/projects',
    permission: 'projects-read',
    run: listProjects,
  },
  {
    ...workspace,
    id: 'projects.get',
    method: 'GET',
    path: '/projects/{projectId}',
    permission: 'projects-read',
    run: getProject,
  },
]
