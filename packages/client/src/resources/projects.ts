import type { ResponsePromise } from '../http/index.js'
import type { CallOptions } from '../options.js'
import {
  type Items,
  itemsOfList,
  iterable,
  type Page,
  type PagedList,
  type PagePromise,
  pageOf,
} from '../pagination/index.js'
import type { AllQuery, PageQuery, Project, ProjectCreate, ProjectDetail } from '../types.js'
import { limits } from '../validation.js'
import type { Call } from './call.js'

/** The query parameters of every list. */
export const pageFilters: { [K in keyof PageQuery]-?: true } = { page: true, limit: true }

export function projectMethods(call: Call) {
  const listPage = (given?: PageQuery, options?: CallOptions): PagePromise<Project> => {
    const query = given ?? {}
    const list: PagedList<Page<Project>> = {
      operation: 'projects.list',
      fetch: (page) => listPage({ ...query, page }, options),
    }
    return iterable(
      call('projects.list', { query }, options, (body) => pageOf(body, query.page ?? 1, list), {
        filters: pageFilters,
      }),
    )
  }

  const getProject = (projectId: string, options?: CallOptions): ResponsePromise<ProjectDetail> =>
    call('projects.get', { path: { projectId } }, options, (body) => body.data)

  return {
    /**
     * Create a project. Declares 400, 401, 403, 413, 429. If the answer is lost, searches the workspace's projects and
     * sends again only if the project is provably not stored, else throws an AmbiguousWriteError
     * (interface: Endpoints › POST /projects).
     */
    create: (project: ProjectCreate, options?: CallOptions): ResponsePromise<Project> =>
      call('projects.create', { body: project }, options, (body) => body.data, {
        check: (bytes, parts) => parts.validation?.checkProject(project, bytes),
        fingerprint: ({ name }: ProjectCreate) => ({ name }),
        lookup: (_, { projectLookup }) => projectLookup(listPage, getProject),
      }),

    /**
     * List one page of the workspace's projects; `for await` over it, also without `await`, gives its items and those of
     * all later pages. Declares 400, 401, 403, 429. Retries a lost answer (interface: Endpoints › GET /projects).
     */
    list: listPage,

    /**
     * Iterate over every project of the workspace, each once; `break` stops fetching, `toArray` collects, `pages` gives
     * the pages. Options and errors of each page are those of `list` (interface: Endpoints › GET /projects).
     */
    all: (query?: AllQuery, options?: CallOptions): Items<Project> => {
      const { maxItems, ...filters } = query ?? {}
      const limit = Math.min(filters.limit ?? limits.pageSize.max, limits.pageSize.max)
      return itemsOfList((page) => listPage({ ...filters, page, limit }, options), maxItems)
    },

    /**
     * Get one project, plus the executive summary of its latest completed report if one exists. Declares 401, 403, 404,
     * 429. Retries a lost answer (interface: Endpoints › GET /projects/{projectId}).
     */
    get: getProject,
  }
}
