import { printJson } from '../../output.js'
import { userFileOf } from '../../settings/folders.js'
import { requireUserFile } from '../../settings/user-file.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'

/** Reads nothing, so that it also says where a file is that cannot be read. */
export const showPath: Work<[], object> = async (context) => {
  const path = context.flags.config ?? userFileOf(context.io.env)
  const user = requireUserFile({ user: path === undefined ? undefined : { path, settings: undefined } })
  const file = context.io.resolve(user.path)
  if (context.flags.json) printJson(context, { schema: 'svc/config-path@1', path: file })
  else context.io.stdout.write(`${inert(file)}\n`)
  return undefined
}
