import { explainMissingProject } from '../../missing-project.js'
import { cell } from '../../output.js'
import { requireProject } from '../../settings/project.js'
import type { Work } from '../act.js'
import type { PageFlags } from '../flags.js'
import { showList } from '../paging.js'

export interface ListFlags extends PageFlags {
  project?: string
  q?: string
  modelName?: string
  language?: string
  sourceSystem?: string
  annotation?: string
  fromDate?: string
  toDate?: string
}

export const listTranscripts: Work<[], ListFlags> = async (context, _, flags) => {
  const project = await requireProject(context, flags.project)
  const { transcripts } = await context.client()
  const filters = {
    q: flags.q,
    model_name: flags.modelName,
    language: flags.language,
    source_system: flags.sourceSystem,
    annotation: flags.annotation,
    date_from: flags.fromDate,
    date_to: flags.toDate,
  }
  return showList(context, flags.all, {
    schema: 'svc/transcripts@1',
    page: () => transcripts.list(project, { ...filters, page: flags.page, limit: flags.limit }, context.call()),
    all: () => transcripts.all(project, { ...filters, limit: flags.limit }, context.call()),
    header: ['ID', 'NAME', 'TURNS', 'STATUS', 'CREATED'],
    row: ({ id, name, turn_count, processing_status, created_at }) =>
      [id, name, turn_count, processing_status, created_at].map(cell),
  }).catch(async (error) => {
    throw await explainMissingProject(context, error, project)
  })
}
