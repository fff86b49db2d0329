import { type Command, Option } from 'commander'
import { type Act, does, examples } from '../act.js'
import { withPaging } from '../flags.js'
import { createProject, getProject, listProjects } from './run.js'

export function projectsCommand(projects: Command, act: Act): void {
  const list = withPaging(projects.command('list').description('List the projects of the workspace')).addHelpText(
    'after',
    examples('svc projects list', 'svc projects list --all --json'),
  )
  does(list, act, listProjects)

  const get = projects
    .command('get <projectId>')
    .description('Show one project, with its executive summary when there is one')
    .addHelpText('after', examples('svc projects get "$SVC_PROJECT"'))
  does(get, act, getProject)

  const create = projects
    .command('create')
    .description('Create a project and print its id')
    .requiredOption('--name <name>', 'name, 1 to 500 characters')
    .addOption(
      new Option('--domain <domain>', 'domain pack that locks the analysis taxonomy').choices(['general', 'ai_coding']),
    )
    .addHelpText(
      'after',
      examples('svc projects create --name Support', 'SVC_PROJECT=$(svc projects create --name Support)'),
    )
  does(create, act, createProject)
}
