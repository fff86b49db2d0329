import type { Project } from '@svc/client'
import type { Context } from '../../context.js'
import { cell, printJson, printRows } from '../../output.js'
import type { Work } from '../act.js'
import type { PageFlags } from '../flags.js'
import { gather, tellRest } from '../paging.js'

export const listProjects: Work<[], PageFlags> = async (context, _, { page, limit, all }) => {
  const { projects } = await context.client()
  const options = { signal: context.io.signal }
  if (all) {
    const data = await gather(projects.all({ limit }, options))
    if (context.flags.json) printJson(context, { data })
    else print(context, data)
    return undefined
  }
  const answer = await projects.list({ page, limit }, options)
  if (context.flags.json) printJson(context, answer)
  else print(context, answer.data)
  tellRest(context, answer)
  return undefined
}

const print = (context: Context, projects: Project[]) =>
  printRows(
    context,
    ['ID', 'NAME', 'TRANSCRIPTS', 'LATEST'],
    projects.map((each) => [each.id, each.name, cell(each.transcript_count), cell(each.latest_transcript_at)]),
  )
