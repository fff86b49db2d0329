import { documentOf, printJson, printRecord } from '../../output.js'
import type { Work } from '../act.js'

export const getProject: Work<[string], object> = async (context, [projectId]) => {
  const project = await (await context.client()).projects.get(projectId, context.call())
  if (context.flags.json) printJson(context, documentOf('svc/project@1', project))
  else printRecord(context, project)
  return undefined
}
