import { CliError, exit } from '../../exit.js'
import { printJson } from '../../output.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'
import { requireName, shown, shownNames } from './shown.js'

export const getSetting: Work<[string], object> = async (context, [given]) => {
  const name = requireName(given, shownNames)
  const set = shown(await context.settings(), context.flags.profile !== undefined)[name]
  if (!set) {
    throw new CliError(exit.input, `${name} is not set.`, {
      hint: name.endsWith('ApiKey') ? '`svc auth login` stores a key' : `\`svc config set ${name} …\` sets it`,
    })
  }
  if (context.flags.json) printJson(context, { schema: 'svc/setting@1', name, ...set })
  else context.io.stdout.write(`${inert(set.value)}\n`)
  return undefined
}
