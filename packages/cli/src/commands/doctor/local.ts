import { dirname } from 'node:path'
import { masked, type Resolved, type Settings, shownUrl, strayKey } from '../../config/index.js'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors.js'
import { exit } from '../../exit.js'
import { cacheFolderOf, folders as declared, namesOf, stateFolderOf, surfaces, userFileOf } from '../../settings.js'
import { wantsColor } from '../../terminal.js'
import { type Check, ok, problem, warning } from './check.js'

const oldest = [20, 19] as const

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
  if (!isOld) return ok('node', version)
  return problem('node', exit.input, `${version} is older than ${oldest.join('.')}`, 'install a newer Node')
}

export async function settingsOf(context: Context): Promise<{ settings?: Settings; checks: Check[] }> {
  try {
    const settings = await context.settings()
    return { settings, checks: settingsChecks(settings) }
  } catch (error) {
    const { message, hint = 'correct the file, or `svc config path` shows where it is' } = describe(error)
    return { checks: [problem('settings', exitCodeFor(error), message, hint)] }
  }
}

export function settingsChecks(settings: Resolved): Check[] {
  const checks: Check[] = []
  for (const surface of surfaces) {
    const { key, baseUrl } = namesOf[surface]
    const address = settings[baseUrl]
    checks.push(
      address
        ? ok(baseUrl, `${shownUrl(address.value)} from ${address.origin.from}`)
        : problem(baseUrl, exit.input, 'not set', `svc config set ${baseUrl} URL`),
    )
    const set = settings[key]
    const other = surfaces.some((each) => settings[namesOf[each].key])
    if (set) checks.push(ok(key, `${masked(set.value)} from ${set.origin.from}`))
    else if (other) checks.push(warning(key, 'not set', `svc auth login --surface ${surface}`))
    else checks.push(problem(key, exit.auth, 'not set', 'svc auth login'))
    const stray = strayKey(settings, surface)
    if (stray)
      checks.push(warning(key, stray, 'make sure that the key belongs to this address: svc config list --show-origin'))
  }
  const { project } = settings
  if (project) checks.push(ok('project', `${project.value} from ${project.origin.from}`))
  return checks
}

export async function folderChecks({ io, flags }: Context): Promise<Check[]> {
  const file = flags.config ?? userFileOf(io.env)
  const folders = [
    { of: 'settings', path: file && dirname(file), what: 'a file for keys and settings' },
    { of: 'state', path: stateFolderOf(io.env), what: 'a folder for the upload ledger' },
    { of: 'cache', path: cacheFolderOf(io.env), what: 'a folder for the annotations of checks' },
  ] as const
  return Promise.all(
    folders.map(async ({ of, path, what }) => {
      const name = `${of} folder`
      const { variable } = declared[of]
      if (path === undefined) return warning(name, 'there is no home folder', `set ${variable} to ${what}`)
      if (await io.mayWrite(path)) return ok(name, path)
      return warning(name, `${path} cannot be written to`, `make it writable, or set ${variable} to ${what}`)
    }),
  )
}

export async function extraCertificates({ io }: Context): Promise<Check[]> {
  const path = io.env.NODE_EXTRA_CA_CERTS
  if (!path) return []
  const text = await io.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  )
  const n = text?.split('-----BEGIN CERTIFICATE-----').length ?? 0
  if (n > 1) return [ok('extra certificates', `${n - 1} in ${path} (NODE_EXTRA_CA_CERTS)`)]
  const what = text === undefined ? 'cannot be read' : 'holds no certificate'
  return [warning('extra certificates', `${path} ${what}, so Node ignores it`, 'correct NODE_EXTRA_CA_CERTS')]
}

export function terminalCheck({ io, flags }: Context): Check {
  const { stdout, env } = io
  if (!stdout.isTTY) return ok('terminal', 'output is not a terminal: tab-separated, without colour')
  const color = wantsColor(stdout, env, flags.color) ? 'colour' : 'no colour'
  return ok('terminal', `${stdout.columns} columns, ${color}${env.TERM ? `, ${env.TERM}` : ''}`)
}
