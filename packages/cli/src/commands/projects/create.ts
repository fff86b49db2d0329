import type { ProjectCreate } from '@svc/client'
import { cell, documentOf, printJson } from '../../output.js'
import { stopped } from '../../report-error.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'

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
