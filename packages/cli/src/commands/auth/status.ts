import { formOf, masked, namesOf, type Settings, type Surface } from '../../config/index.js'
import type { Context } from '../../context.js'
import { exitCodeFor } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
import { inWords, isAccepted, type Probed, probe } from '../../keys.js'
import { printJson, printRows } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { surfacesOf } from './surface-flag.js'

export function statusCommand(auth: Command, setAction: SetAction): void {
  const command = auth
    .command('status')
    .description('Show the source of each key, and check each key against the service')
    .option('--offline', 'send no requests')
    .addHelpText('after', examples('svc auth status', 'svc auth status --offline --json'))
  setAction(command, status)
}

/** The key of one surface; `standing` is the answer of the service, or the reason why it was not asked. */
interface KeyStatus {
  surface: Surface
  key: string | null
  form: string | null
  from: string | null
  baseUrl: string | null
  standing: Probed['standing'] | 'no_key' | 'no_base_url' | 'not_asked'
  status?: number | undefined
  /** The exit code that it means. */
  code: ExitCode
}

const status: Action<[], { offline?: boolean }> = async (context, _, { offline = false }) => {
  const settings = await context.settings()
  const keys = await Promise.all(surfacesOf('both').map((surface) => look(context, settings, surface, offline)))
  if (context.flags.json) {
    const shown = keys.map(({ code: _, ...each }) => each)
    printJson(context, { schema: 'svc/auth-status@1', profile: settings.profile, surfaces: shown })
  } else {
    const rows = keys.map((each) => [each.surface, each.key ?? '', words(each), each.from ?? ''])
    await printRows(context, ['SURFACE', 'KEY', 'STANDING', { title: 'FROM', least: 16 }], rows)
  }
  if (keys.every(({ key }) => key === null)) context.say('no key is set; `svc auth login` stores one')
  return exitOf(keys)
}

async function look(context: Context, settings: Settings, surface: Surface, offline: boolean): Promise<KeyStatus> {
  const key = settings[namesOf[surface].key]
  const baseUrl = settings[namesOf[surface].baseUrl]?.value ?? null
  const known = {
    surface,
    key: key ? masked(key.value) : null,
    form: key ? formOf(key.value) : null,
    from: key?.origin.from ?? null,
    baseUrl,
  }
  if (!key) return { ...known, standing: 'no_key', code: exit.ok }
  if (offline) return { ...known, standing: 'not_asked', code: exit.ok }
  if (baseUrl === null) return { ...known, standing: 'no_base_url', code: exit.input }
  const probed = await probe(await context.client(), surface, context.call())
  return { ...known, standing: probed.standing, status: probed.status, code: codeOf(probed) }
}

function codeOf({ standing, error }: Probed): ExitCode {
  if (isAccepted(standing)) return exit.ok
  return standing === 'unavailable' ? exitCodeFor(error) : standing === 'unexpected' ? exit.refused : exit.auth
}

/** A key that is refused first: that is what was asked about. */
function exitOf(keys: readonly KeyStatus[]): ExitCode {
  if (keys.every(({ key }) => key === null)) return exit.auth
  const codes = keys.map(({ code }) => code)
  return codes.includes(exit.auth) ? exit.auth : (codes.find((code) => code !== exit.ok) ?? exit.ok)
}

function words({ surface, standing }: KeyStatus): string {
  if (standing === 'no_key') return 'no key is set'
  if (standing === 'no_base_url') return 'not asked: no base URL is set'
  if (standing === 'not_asked') return 'not asked'
  return inWords(surface, standing)
}
