import type { Context } from '../context.js'
import { CliError, exit } from '../exit.js'

const projectId = /^hp-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the form of a project's id, as the interface writes it. */
export const isProjectId = (text: string): boolean => projectId.test(text)

/** The id of the project to work on: the flag, else the settings. Refused by form before anything is sent. */
export async function requireProject(context: Pick<Context, 'settings'>, flag: string | undefined): Promise<string> {
  const set = flag === undefined ? (await context.settings()).project : undefined
  const value = flag ?? set?.value
  if (value === undefined) {
    throw new CliError(exit.usage, 'No project is named.', {
      hint: 'give --project hp-…, or set SVC_PROJECT; `svc projects list` shows the ids',
    })
  }
  if (isProjectId(value)) return value
  throw new CliError(
    set ? exit.input : exit.usage,
    `${set?.origin.from ?? '--project'} is not a project id: "${value}".`,
    {
      hint: 'a project id is hp- and a UUID; `svc projects list` shows the ids',
    },
  )
}
