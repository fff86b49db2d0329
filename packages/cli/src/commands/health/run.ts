import { documentOf, printJson, printRecord } from '../../output/index.js'
import type { Work } from '../act.js'

export const health: Work<[], object> = async (context) => {
  const answer = await (await context.client()).health(context.call())
  if (context.flags.json) printJson(context, documentOf('svc/health@1', answer))
  else printRecord(context, answer)
  return undefined
}
