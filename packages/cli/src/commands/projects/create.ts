import type { ProjectCreate } from '@svc/client'
import { printJson } from '../../output.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'

export const createProject: Work<[], ProjectCreate> = async (context, _, { name, domain }) => {
  const { projects } = await context.client()
  const project = await projects.create({ name, ...(domain && { domain }) }, { signal: context.io.signal })
  if (context.flags.json) printJson(context, project)
  // The bare id is what `SVC_PROJECT=$(svc projects create …)` takes.
  else context.io.stdout.write(`${project.id}\n`)
  context.say(`created project "${inert(project.name)}"`)
  return undefined
}
