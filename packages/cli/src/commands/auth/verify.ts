import { connect } from '../../connect.js'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { exitCodeFor } from '../../report-error.js'
import { inWords, isAccepted, type Probed, probe, type Standing } from '../../settings/probe.js'
import { namesOf, type Resolved, type Sourced, type Surface } from '../../settings/resolve.js'

/** Asks the service about a key before it is stored; an error unless each surface takes it, or has no address yet. */
export async function verify(
  context: Context,
  settings: Resolved,
  key: string,
  surfaces: readonly Surface[],
): Promise<Partial<Record<Surface, Standing>>> {
  const given: Sourced = { value: key, origin: { layer: 'profile', from: 'svc auth login' } }
  const known = surfaces.filter((surface) => settings[namesOf[surface].baseUrl])
  for (const surface of surfaces.filter((each) => !known.includes(each))) {
    context.say(`note: the base URL of the ${surface} surface is not set, so the key could not be tried there`)
  }
  if (known.length === 0) return {}
  const candidate = { ...settings, annotationApiKey: given, workspaceApiKey: given }
  const { client, close } = await connect(context.io, context.flags, candidate)
  try {
    const answers = await Promise.all(
      known.map(async (surface) => [surface, await probe(client, surface, context.call())] as const),
    )
    for (const [surface, probed] of answers) refuse(surface, probed, surfaces.length > 1)
    for (const [surface, { standing }] of answers) {
      const address = settings[namesOf[surface].baseUrl]?.value ?? ''
      context.say(`${surface} surface at ${address}: ${inWords(surface, standing)}`)
    }
    return Object.fromEntries(answers.map(([surface, { standing }]) => [surface, standing]))
  } finally {
    await close()
  }
}

function refuse(surface: Surface, { standing, error }: Probed, ofBoth: boolean): void {
  if (isAccepted(standing)) return
  const other = ofBoth
    ? `; \`--surface ${surface === 'annotation' ? 'workspace' : 'annotation'}\` stores it for the other one alone`
    : ''
  const [code, hint] = next[standing] ?? [exitCodeFor(error), 'run it again later']
  const why = standing === 'unavailable' && error instanceof Error ? error.message : inWords(surface, standing)
  throw new CliError(
    standing === 'unavailable' ? exitCodeFor(error) : code,
    `The key was not stored: ${surface} surface: ${why}`,
    {
      hint: `${hint}${other}; --no-verify stores it all the same`,
      cause: error,
    },
  )
}

const next: Partial<Record<Standing, [ExitCode, string]>> = {
  refused: [exit.auth, 'check the key'],
  revoked: [exit.auth, 'give a key that is in force'],
  unexpected: [exit.refused, 'check the base URL'],
}
