import { cell } from '../../output.js'
import type { Work } from '../act.js'
import type { PageFlags } from '../flags.js'
import { showList } from '../paging.js'

export const listProjects: Work<[], PageFlags> = async (context, _, { page, limit, all }) => {
  const { projects } = await context.client()
  return showList(context, all, {
    schema: 'svc/projects@1',
    page: () => projects.list({ page, limit }, context.call()),
    all: () => projects.all({ limit }, context.call()),
    header: ['ID', 'NAME', 'TRANSCRIPTS', 'LATEST'],
    row: (each) => [each.id, cell(each.name), cell(each.transcript_count), cell(each.latest_transcript_at)],
  })
}
