import type { Command, SetAction } from '../action.js'
import { getCommand, listCommand } from './list.js'
import { pathCommand } from './path.js'
import { setCommand } from './set.js'
import { trustCommand } from './trust.js'

export function configCommand(config: Command, setAction: SetAction): void {
  listCommand(config, setAction)
  getCommand(config, setAction)
  setCommand(config, setAction)
  pathCommand(config, setAction)
  trustCommand(config, setAction)
}
