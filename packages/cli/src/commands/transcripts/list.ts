import type { TranscriptRow } from '@svc/client'
import type { Context } from '../../context.js'
import { cell, printJson, printRows } from '../../output.js'
import { requireProject } from '../../settings.js'
import type { Work } from '../act.js'
import type { PageFlags } from '../flags.js'
import { gather, tellRest } from '../paging.js'

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
  const project = requireProject(flags.project, context.io.env)
  const { transcripts } = await context.client()
  const options = { signal: context.io.signal }
  const filters = {
    q: flags.q,
    model_name: flags.modelName,
    language: flags.language,
    source_system: flags.sourceSystem,
    annotation: flags.annotation,
    date_from: flags.fromDate,
    date_to: flags.toDate,
  }
  if (flags.all) {
    const data = await gather(transcripts.all(project, { ...filters, limit: flags.limit }, options))
    if (context.flags.json) printJson(context, { data })
    else print(context, data)
    return undefined
  }
  const answer = await transcripts.list(project, { ...filters, page: flags.page, limit: flags.limit }, options)
  if (context.flags.json) printJson(context, answer)
  else print(context, answer.data)
  tellRest(context, answer)
  return undefined
}

const print = (context: Context, rows: TranscriptRow[]) =>
  printRows(
    context,
    ['ID', 'NAME', 'TURNS', 'STATUS', 'CREATED'],
    rows.map((row) => [
      row.id,
      cell(row.name),
      cell(row.turn_count),
      cell(row.processing_status),
      cell(row.created_at),
    ]),
  )
