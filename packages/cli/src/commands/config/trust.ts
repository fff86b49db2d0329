import { basename } from 'node:path'
import {
  changeUserFile,
  findProjectFile,
  loadSettings,
  type ProjectFile,
  projectFileName,
  readProjectFile,
  requireUserFile,
  type Settings,
  trustIn,
} from '../../config/index.js'
import { agrees, type Context, whyNotAsk } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'
import { printDocument, printRows } from '../../output/index.js'
import type { Action } from '../action.js'

/** A file whose settings apply only if the user trusts it. */
interface Trustable {
  path: string
  /** SHA-256 of its text, hex. */
  hash: string
  /** The settings that count once the file is trusted. */
  settings: Record<string, string | readonly string[] | undefined>
  question: string
  /** It is a program. */
  isCode?: boolean
}

export const trustFile: Action<[string | undefined], { yes?: boolean }> = async (context, [path], { yes = false }) => {
  // Said once it is trusted, the note that it is not would only confuse.
  const settings = await loadSettings(context.io, context.flags, () => {}, { mayBeNew: true })
  const user = requireUserFile(settings)
  const file = path === undefined ? await nearestFile(context, settings) : await namedFile(context, path)
  await show(context, file)
  if (!yes) await confirm(context, file)
  await changeUserFile(context.io, user.path, (now) => ({
    ...now,
    trusted: { ...now.trusted, [file.path]: file.hash },
  }))
  if (context.flags.json) {
    printDocument(context, 'svc/config-trust@1', { path: file.path, sha256: file.hash, settings: file.settings })
  }
  context.say(`trusted the current content of ${file.path}`)
}

/** The project file, or the policy where that is trusted already or not there. */
async function nearestFile({ io }: Context, { user }: Settings): Promise<Trustable> {
  const project = await findProjectFile(io)
  if (project && trustIn(project, user?.settings) !== 'trusted') return ofProject(project)
  const policy = await policyAt(io, undefined)
  if (policy) return policy
  if (project) return ofProject(project)
  throw new CliError(exit.input, `No ${projectFileName} in this folder or a folder above.`, {
    hint: `create a ${projectFileName} with baseUrl, publicBaseUrl and project`,
  })
}

async function namedFile({ io }: Context, path: string): Promise<Trustable> {
  const isProject = basename(path) === projectFileName
  const project = isProject ? await readProjectFile(io, io.resolve(path)) : undefined
  const file = project ? ofProject(project) : isProject ? undefined : await policyAt(io, path)
  if (file) return file
  throw new CliError(exit.input, `${path}: the file does not exist.`, {
    hint: `create a ${projectFileName} with baseUrl, publicBaseUrl and project`,
  })
}

function ofProject({ path, hash, settings: { reading, ...others } }: ProjectFile): Trustable {
  const programs = reading?.some(({ importer }) => importer) ? ', and run its importers' : ''
  return {
    path,
    hash,
    settings: { ...others, reading: reading?.map((rule) => JSON.stringify(rule)) },
    question: `Send your keys and transcripts to the addresses in ${path}${programs}?`,
  }
}

async function policyAt(io: Io, named: string | undefined): Promise<Trustable | undefined> {
  const { findPolicyFile, readPolicyFile } = await import('@svc/checks')
  const policyFile = await findPolicyFile(io, named)
  if (!policyFile) return undefined
  const path = io.resolve(policyFile.path)
  const { hash, isCode, files } = policyFile
  // The trust covers them.
  const others = files.length > 1 ? { with: files.filter((file) => file !== path) } : {}
  if (isCode) return { path, hash, isCode, settings: others, question: `Let svc check run the program ${path}?` }
  const { paths, baseline } = (await readPolicyFile(io, named, async () => {})) ?? {}
  return {
    path,
    hash,
    isCode,
    settings: { ...others, paths, baseline },
    question: `Let svc check read and write the files that ${path} names?`,
  }
}

async function show(context: Context, { path, settings, isCode }: Trustable): Promise<void> {
  if (context.flags.json) return
  context.say(isCode ? `${path} is a program` : `${path} sets`)
  const rows = Object.entries(settings).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]))
  await printRows(context, ['NAME', 'VALUE'], rows)
}

async function confirm(context: Context, { question }: Trustable): Promise<void> {
  const obstacle = whyNotAsk(context)
  if (obstacle) {
    throw new CliError(exit.usage, `Cannot ask whether to trust the file: ${obstacle}.`, {
      hint: 'check its content, then add --yes',
    })
  }
  if (await agrees(context, question)) return
  throw new CliError(exit.input, 'The file was not trusted.', { hint: 'answer y, or add --yes' })
}
