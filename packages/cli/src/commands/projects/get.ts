import { explainMissingProject } from '../../missing-project.js'
import { documentOf, printJson, printRecord } from '../../output.js'
import type { Work } from '../act.js'

export const getProject: Work<[string], object> = async (context, [projectId]) => {
  const { projects } = await context.client()
  const project = await projects.get(projectId, context.call()).catch(async (error) => {
    throw await explainMissingProject(context, error, projectId)
  })
  if (context.flags.json) printJson(context, documentOf('svc/project@1', project))
  else printRecord(context, project)
  return undefined
}
