import { inert } from '@svc/text'
import { requireUserFile, userFileOf } from '../../config/index.js'
import { printJson } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { getCommand, listCommand } from './list.js'
import { setCommand } from './set.js'
import { trustCommand } from './trust.js'

export function configCommand(config: Command, setAction: SetAction): void {
  listCommand(config, setAction)
  getCommand(config, setAction)
  setCommand(config, setAction)
  pathCommand(config, setAction)
  trustCommand(config, setAction)
}

function pathCommand(config: Command, setAction: SetAction): void {
  const command = config
    .command('path')
    .description('Print the path of your settings file')
    .addHelpText('after', examples('svc config path'))
  setAction(command, showPath)
}

/** The file is not read: the path of a broken file is printed too. */
const showPath: Action<[], object> = async (context) => {
  const path = context.flags.config ?? userFileOf(context.io.env)
  const user = requireUserFile({ user: path === undefined ? undefined : { path, settings: undefined } })
  const file = context.io.resolve(user.path)
  if (context.flags.json) printJson(context, { schema: 'svc/config-path@1', path: file })
  else context.io.stdout.write(`${inert(file)}\n`)
  return undefined
}
