import type { Command } from 'commander'
import { printRecordOf } from '../output/index.js'
import { type Action, examples, type SetAction } from './action.js'

export const health: Action<[], object> = async (context) => {
  printRecordOf(context, 'svc/health@1', await (await context.client()).health(context.call()))
}

export function healthCommand(command: Command, setAction: SetAction): void {
  command.addHelpText('after', examples('svc health', 'svc health --json'))
  setAction(command, health)
}
