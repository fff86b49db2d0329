import * as z from 'zod/mini'
import { CliError, exit } from './exit.js'

/** A project's id as the interface writes it. */
export const projectId = z.string().check(
  z.regex(/^hp-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, {
    error: 'expected hp- and a UUID',
  }),
)

/** The id of the project to work on: the flag before `SVC_PROJECT`. Refused by form before anything is sent. */
export function requireProject(flag: string | undefined, env: Record<string, string | undefined>): string {
  const [value, source] = flag === undefined ? [env.SVC_PROJECT || undefined, 'SVC_PROJECT'] : [flag, '--project']
  if (value === undefined) {
    throw new CliError(exit.usage, 'No project is named.', {
      hint: 'give --project hp-…, or set SVC_PROJECT; `svc projects list` shows the ids',
    })
  }
  if (projectId.safeParse(value).success) return value
  throw new CliError(flag === undefined ? exit.input : exit.usage, `${source} is not a project id: "${value}".`, {
    hint: 'a project id is hp- and a UUID; `svc projects list` shows the ids',
  })
}

/** A JSON object in a file, as for `--options FILE`. */
export const jsonObject = z.record(z.string(), z.unknown())
