import type { ResponsePromise } from '../http/index.js'
import { type CallOptions, refuseUnknown } from '../options.js'
import { type Items, listMethods, type Page, type PagePromise } from '../pagination/index.js'
import type { AllQuery, PageQuery, Project, ProjectCreate, ProjectDetail } from '../types.js'
import type { Call } from './call.js'

/** The methods of `svc.projects`: containers of transcripts, scoped to the key's workspace (interface: Endpoints › Surface B). */
export interface ProjectMethods {
  /**
   * Create a project. Declares 400, 401, 403, 413, 429. If the answer is lost, searches the workspace's projects and
   * sends again only if the project is provably not stored, else throws an AmbiguousWriteError
   * (interface: Endpoints › POST /projects).
   */
  create(project: ProjectCreate, options?: CallOptions): ResponsePromise<Project>

  /**
   * List one page of the workspace's projects; `for await` over the call, without `await`, gives its items and those of
   * all later pages. Declares 400, 401, 403, 429. Retries a lost answer (interface: Endpoints › GET /projects).
   */
  list(query?: PageQuery, options?: CallOptions): PagePromise<Project>

  /**
   * Iterate over every project of the workspace, each once; `break` stops fetching, `toArray` collects, `pages` gives
   * the pages. Options and errors of each page are those of `list` (interface: Endpoints › GET /projects).
   */
  all(query?: AllQuery, options?: CallOptions): Items<Project>

  /**
   * Get one project, plus the executive summary of its latest completed report if one exists. Declares 401, 403, 404,
   * 429. Retries a lost answer (interface: Endpoints › GET /projects/{projectId}).
   */
  get(projectId: string, options?: CallOptions): ResponsePromise<ProjectDetail>
}

/** The query parameters of every list. */
export const pageFilters: { [K in keyof PageQuery]-?: true } = { page: true, limit: true }

export function projectMethods(call: Call): ProjectMethods {
  const { list, all } = listMethods<Project, Page<Project>, PageQuery>('projects.list', (query, options, pick) => {
    const checked = () => {
      refuseUnknown('projects.list', query, pageFilters, 'filter')
      return { query }
    }
    return call('projects.list', checked, options, pick)
  })

  const get: ProjectMethods['get'] = (projectId, options) =>
    call('projects.get', { path: { projectId } }, options, (body) => body.data)

  return {
    create: (project, options) =>
      call('projects.create', { body: project }, options, (body) => body.data, {
        fingerprint: ({ name }: ProjectCreate) => ({ name }),
        list,
        read: get,
      }),
    list,
    all,
    get,
  }
}
