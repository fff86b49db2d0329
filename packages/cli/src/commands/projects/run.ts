import type { ProjectCreate } from '@svc/client'
import { stopped } from '../../errors/index.js'
import { cell, documentOf, printJson, printRecord } from '../../output/index.js'
import { inert } from '../../terminal/index.js'
import type { Work } from '../act.js'
import type { PageFlags } from '../flags.js'
import { explainMissingProject } from '../missing-project.js'
import { showList } from '../paging.js'

export const createProject: Work<[], ProjectCreate> = async (context, _, { name, domain }) => {
  const { projects } = await context.client()
  const project = await projects.create({ name, domain }, context.call()).catch((error) => {
    throw stopped(context.io, error)
  })
  if (context.flags.json) printJson(context, documentOf('svc/project@1', project))
  // The bare id is what `SVC_PROJECT=$(svc projects create …)` takes.
  else context.io.stdout.write(`${inert(project.id)}\n`)
  context.say(`created project "${inert(cell(project.name))}"`)
  return undefined
}

export const getProject: Work<[string], object> = async (context, [projectId]) => {
  const { projects } = await context.client()
  const project = await projects.get(projectId, context.call()).catch(async (error) => {
    throw await explainMissingProject(context, error, projectId)
  })
  if (context.flags.json) printJson(context, documentOf('svc/project@1', project))
  else printRecord(context, project)
  return undefined
}

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
