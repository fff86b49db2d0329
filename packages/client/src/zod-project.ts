import * as z from 'zod'
import { limits } from './limits.js'
import type { Page } from './page.js'
import type * as types from './types.js'
import { open, text, time } from './zod-fields.js'
import { mirrors } from './zod-mirrors.js'

export type ProjectCreate = types.ProjectCreate
/** The body of `projects.create`: a name of 1 to 500 characters, which are code points. */
export const ProjectCreate = mirrors<ProjectCreate>()(
  open({ name: text(limits.name), domain: z.enum(['general', 'ai_coding']).optional() }),
)

const project = {
  id: z.string().regex(/^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/),
  name: text(limits.name),
  transcript_count: z.number(),
  latest_transcript_at: time.nullable(),
  created_at: time,
  updated_at: time,
}

export type Project = types.Project
/** The answer of `projects.create`: its id is `hp-` and a UUID, its times are ISO 8601. */
export const Project = mirrors<Project>()(open(project))

export type ProjectDetail = types.ProjectDetail
/**
 * A project, plus the executive summary of its latest completed report under a name that the interface does not show.
 */
export const ProjectDetail = mirrors<ProjectDetail>()(z.looseObject(project))

export type Pagination = types.Pagination
/** Where in a list a page stands. */
export const Pagination = mirrors<Pagination>()(open({ page: z.number(), limit: z.number(), total: z.number() }))

export type PageQuery = types.PageQuery
/** One page of a list: a 1-indexed number, and a size of 1 to 100. */
export const PageQuery = mirrors<PageQuery>()(
  open({
    page: z.number().min(1).optional(),
    limit: z.number().min(limits.pageSize.min).max(limits.pageSize.max).optional(),
  }),
)

export type ProjectPage = Page<types.Project>
/** The answer of `projects.list`. */
export const ProjectPage = mirrors<ProjectPage>()(
  open({ data: z.array(Project), pagination: Pagination.exactOptional(), processing_time_ms: z.number() }),
)
