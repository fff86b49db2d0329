import type { ProjectCreate } from '@svc/client'
import { escapeLine } from '@svc/text'
import { type Command, Option } from 'commander'
import { stopped } from '../errors.js'
import { cell, documentOf, printJson, printRecordOf } from '../output/index.js'
import { explainMissingProject } from '../project.js'
import { type Action, examples, type SetAction } from './action.js'
import { type PageFlags, withPaging } from './flags.js'
import { showList } from './paging.js'

export const createProject: Action<[], ProjectCreate> = async (context, _, { name, domain }) => {
  const { projects } = await context.client()
  const project = await projects.create({ name, domain }, context.call()).catch((error) => {
    throw stopped(context.io, error)
  })
  if (context.flags.json) printJson(context, documentOf('svc/project@1', project))
  // The bare id is what `SVC_PROJECT=$(svc projects create …)` takes.
  else context.io.stdout.write(`${escapeLine(project.id)}\n`)
  context.say(`created project "${escapeLine(cell(project.name))}"`)
}

export const getProject: Action<[string], object> = async (context, [projectId]) => {
  const { projects } = await context.client()
  const project = await projects.get(projectId, context.call()).catch(async (error) => {
    throw await explainMissingProject(context, error, projectId)
  })
  printRecordOf(context, 'svc/project@1', project)
}

export const listProjects: Action<[], PageFlags> = async (context, _, flags) => {
  const { projects } = await context.client()
  return showList(context, flags, {
    schema: 'svc/projects@1',
    page: (paging) => projects.list(paging, context.call()),
    noun: 'project',
    columns: [
      'ID',
      { title: 'NAME', least: 24 },
      { title: 'TRANSCRIPTS', drop: 1 },
      { title: 'LATEST', drop: 2, isTime: true },
    ],
    row: (each) => [each.id, cell(each.name), cell(each.transcript_count), cell(each.latest_transcript_at)],
  })
}

export function projectsCommand(projects: Command, setAction: SetAction): void {
  const list = withPaging(projects.command('list').description('List the projects of the workspace')).addHelpText(
    'after',
    examples('svc projects list', 'svc projects list --all --json'),
  )
  setAction(list, listProjects)

  const get = projects
    .command('get <projectId>')
    .description('Show one project, with its executive summary if it has one')
    .addHelpText('after', examples('svc projects get "$SVC_PROJECT"'))
  setAction(get, getProject)

  const create = projects
    .command('create')
    .description('Create a project and print its id')
    .requiredOption('--name <name>', 'name of the project, 1 to 500 characters')
    .addOption(
      new Option('--domain <domain>', 'domain pack that fixes the analysis taxonomy').choices(['general', 'ai_coding']),
    )
    .addHelpText(
      'after',
      examples('svc projects create --name Support', 'SVC_PROJECT=$(svc projects create --name Support)'),
    )
  setAction(create, createProject)
}
