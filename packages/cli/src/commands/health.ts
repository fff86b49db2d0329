import type { Command } from 'commander'
import { documentOf, printJson, printRecord } from '../output/index.js'
import { type Action, examples, type SetAction } from './action.js'

export const health: Action<[], object> = async (context) => {
  const answer = await (await context.client()).health(context.call())
  if (context.flags.json) printJson(context, documentOf('svc/health@1', answer))
  else printRecord(context, answer)
  return undefined
}

export function healthCommand(command: Command, setAction: SetAction): void {
  command.addHelpText('after', examples('svc health', 'svc health --json'))
  setAction(command, health)
}
