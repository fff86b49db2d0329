import type { Answer } from '../http/index.js'
import type { CallOptions } from '../options.js'
import { everyItem, type Page } from '../pagination.js'
import type { AllQuery, PageQuery, Project, ProjectCreate, ProjectDetail } from '../types.js'
import { checkProject, limits } from '../validation/index.js'
import type { Call } from './call.js'

/** The project verbs of surface B. */
export function projectVerbs(call: Call) {
  const listPage = (query: PageQuery = {}, options?: CallOptions): Answer<Page<Project>> =>
    call('projects.list', { query }, options, (body) => body)

  const getProject = (projectId: string, options?: CallOptions): Answer<ProjectDetail> =>
    call('projects.get', { path: { projectId } }, options, (body) => body.data)

  return {
    /**
     * Creates a project. Declares 400, 401, 403, 413, 429. A lost answer is looked for in the workspace's projects;
     * sent again only when it is provably not stored, else an AmbiguousWriteError
     * (interface: Endpoints › POST /projects).
     */
    create: (project: ProjectCreate, options?: CallOptions): Answer<Project> =>
      call('projects.create', { body: project }, options, (body) => body.data, {
        check: (bytes) => checkProject(project, bytes),
        fingerprint: ({ name }: ProjectCreate) => ({ name }),
        lookup: () => ({
          list: (limit) => ({
            page: (page) => listPage({ page, limit: limits.pageSize.max }, { ...options, ...limit() }).withResponse(),
            read: (id) => getProject(id, { ...options, ...limit() }),
          }),
        }),
      }),

    /**
     * One page of the workspace's projects. Declares 400, 401, 403, 429. A lost answer is asked for again
     * (interface: Endpoints › GET /projects).
     */
    list: listPage,

    /**
     * Every project of the workspace, each once, in pages of `limit`; `break` stops fetching. Throws what `list`
     * rejects with, and the call's options hold for each page (interface: Endpoints › GET /projects).
     */
    all: (query: AllQuery = {}, options?: CallOptions): AsyncGenerator<Project, void, undefined> => {
      const limit = Math.min(query.limit ?? limits.pageSize.max, limits.pageSize.max)
      return everyItem((page) => listPage({ page, limit }, options), limit, query.maxItems)
    },

    /**
     * One project, plus the executive summary of its latest completed report if one exists. Declares 401, 403, 404,
     * 429. A lost answer is asked for again (interface: Endpoints › GET /projects/{projectId}).
     */
    get: getProject,
  }
}
