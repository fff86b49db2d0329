import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { printJson, printRows } from '../../output.js'
import { canAsk } from '../../settings/can-ask.js'
import { loadSettings } from '../../settings/load.js'
import { findProjectFile, type ProjectFile, projectFileName, readProjectFile } from '../../settings/project-file.js'
import { changeUserFile, requireUserFile } from '../../settings/user-file.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'

export const trust: Work<[string | undefined], { yes?: boolean }> = async (context, [path], { yes = false }) => {
  // Said once it is trusted, the note that it is not would only confuse.
  const settings = await loadSettings(context.io, context.flags, () => {}, { mayBeNew: true })
  const user = requireUserFile(settings)
  const file = await projectFile(context, path)
  show(context, file)
  if (!yes) await confirm(context, file)
  await changeUserFile(context.io, user.path, (now) => ({
    ...now,
    trusted: { ...now.trusted, [file.path]: file.hash },
  }))
  if (context.flags.json) {
    printJson(context, { schema: 'svc/config-trust@1', path: file.path, sha256: file.hash, settings: file.settings })
  }
  context.say(inert(`trusted ${file.path} as it stands now`))
  return undefined
}

async function projectFile({ io }: Context, path: string | undefined): Promise<ProjectFile> {
  const file = path === undefined ? await findProjectFile(io) : await readProjectFile(io, io.resolve(path))
  if (file) return file
  const message =
    path === undefined
      ? `There is no ${projectFileName} here, nor in a folder above.`
      : `${path}: there is no such file.`
  throw new CliError(exit.input, message, { hint: `make a ${projectFileName} with baseUrl, publicBaseUrl and project` })
}

function show(context: Context, { path, settings }: ProjectFile): void {
  if (context.flags.json) return
  context.say(inert(`${path} sets`))
  printRows(
    context,
    ['NAME', 'VALUE'],
    Object.entries(settings).map(([name, value]) => [name, value ?? '']),
  )
}

async function confirm(context: Context, { path }: ProjectFile): Promise<void> {
  if (!canAsk(context)) {
    throw new CliError(exit.usage, 'Whether the file is trusted cannot be asked here.', {
      hint: 'look at what it sets, then add --yes',
    })
  }
  const question = inert(`May your keys go to the base URLs in ${path}? [y/N] `)
  if (/^y(es)?$/i.test((await context.io.ask(question, false)).trim())) return
  throw new CliError(exit.input, 'The file was not trusted.', { hint: 'answer y, or add --yes' })
}
