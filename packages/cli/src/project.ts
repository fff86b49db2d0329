import { nearest } from '@svc/text'
import { distrustOf, type Settings } from './config/index.js'
import type { Context } from './context.js'
import { describe, exitCodeFor } from './errors.js'
import { CliError, type ExitCode, exit } from './exit.js'

const projectId = /^hp-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True if a text has the form of a project's id, as the interface writes it. */
export const isProjectId = (text: string): boolean => projectId.test(text)

/**
 * The id of the project to work on: the flag, else the settings. Throws for a value that is no project id, before anything is
 * sent, and for a project that an untrusted file names: such a file must not choose the project.
 */
export async function requireProject(context: Pick<Context, 'settings'>, flag: string | undefined): Promise<string> {
  const settings = flag === undefined ? await context.settings() : undefined
  if (settings) refuseUntrusted(settings)
  const set = settings?.project
  const value = flag ?? set?.value
  if (value === undefined) {
    throw new CliError(exit.usage, 'Missing project.', {
      hint: 'give --project hp-…, or set SVC_PROJECT; `svc projects list` shows the ids',
    })
  }
  if (isProjectId(value)) return value
  const from = set?.origin.from ?? '--project'
  throw notAProjectId(set ? exit.input : exit.usage, `${from} is not a project id: "${value}".`)
}

export const notAProjectId = (code: ExitCode, message: string): CliError =>
  new CliError(code, message, { hint: 'a project id is hp- and a UUID; `svc projects list` shows the ids' })

function refuseUntrusted({ project, projectFile }: Settings): void {
  const why = projectFile?.settings.project && distrustOf(projectFile.trust)
  if (!projectFile || !why || (project && project.origin.layer !== 'profile')) return
  throw new CliError(exit.input, `${projectFile.path} names a project, but ${why}.`, {
    hint: 'check the file, then run `svc config trust`; or add --project',
  })
}

/**
 * The error of a call about a project; where there is no such project, one that names the nearest of the workspace, by
 * id or by name. That takes a request, and a key that may read; without them the error stays as it is.
 */
export async function explainMissingProject(context: Context, error: unknown, given: string): Promise<unknown> {
  if (exitCodeFor(error) !== exit.notFound) return error
  const { projects } = await context.client()
  const listed = await projects.list({ limit: 100 }, context.call()).then(
    ({ data }) => data,
    () => [],
  )
  const names = listed.flatMap(({ id, name }) => [id, name]).filter((each) => typeof each === 'string')
  const meant = nearest(given, names)
  const project = listed.find(({ id, name }) => meant !== undefined && (id === meant || name === meant))
  if (!project) return error
  const hint = `did you mean ${project.id}, "${project.name}"?`
  return new CliError(exit.notFound, describe(error).message, { hint, cause: error })
}
