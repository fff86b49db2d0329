import type { Context } from '../context.js'
import { describe, exitCodeFor } from '../errors/index.js'
import { CliError, exit } from '../exit.js'
import { nearest } from '../nearest.js'

/**
 * The error of a call about a project; where there is no such project, one that names the nearest of the workspace, by
 * id or by name. That takes a request, and a key that may read; without them the error stays as it is.
 */
export async function explainMissingProject(context: Context, error: unknown, given: string): Promise<unknown> {
  if (exitCodeFor(error) !== exit.notFound) return error
  const { projects } = await context.client()
  const known = await projects.list({ limit: 100 }, context.call()).then(
    ({ data }) => data,
    () => [],
  )
  const names = known.flatMap(({ id, name }) => [id, name]).filter((each) => typeof each === 'string')
  const meant = nearest(given, names)
  const project = known.find(({ id, name }) => meant !== undefined && (id === meant || name === meant))
  if (!project) return error
  const hint = `did you mean ${project.id}, "${project.name}"?`
  return new CliError(exit.notFound, describe(error).message, { hint, cause: error })
}
