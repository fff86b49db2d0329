import type { Io } from '../io/index.js'
import { keyNames, keySettings, userFileOf } from '../settings.js'
import { settingsBound } from './settings-file.js'

/** The form of a key (interface: Authentication). The form of surface A's keys is not shown: `other`. */
export type KeyForm = 'current' | 'legacy' | 'jwt' | 'other' | 'unusable'

const prefixes = { current: 'sk-service-api03-', legacy: 'sk-legacy-api03-', jwt: 'ey' } as const

/** The form of a trimmed key; `unusable` if it is no valid header value. */
export function formOf(key: string): KeyForm {
  if (!/^[\x21-\x7e]+$/.test(key) || /["'`]/.test(key)) return 'unusable'
  if (key.startsWith(prefixes.current)) return 'current'
  if (key.startsWith(prefixes.legacy)) return 'legacy'
  return key.startsWith(prefixes.jwt) ? 'jwt' : 'other'
}

/** A key as it may be shown: its prefix, and its last four characters if enough stays hidden. */
export function masked(key: string): string {
  const prefix = Object.values(prefixes).find((each) => key.startsWith(each)) ?? ''
  const secret = key.slice(prefix.length)
  return `${prefix}…${secret.length >= 8 ? secret.slice(-4) : ''}`
}

/** Shorter keys are not hidden: they may be ordinary words. */
const shortest = 8

/** The keys of the environment and of every profile, also of an invalid file, as `formsOf`. */
export async function configuredKeys(io: Io, config: string | undefined): Promise<string[]> {
  const fromEnvironment = keyNames.flatMap((name) => io.env[keySettings[name].variable] ?? [])
  const path = config ?? userFileOf(io.env)
  const fromFile = path === undefined || !io.isThere(path) ? [] : keysIn(await textIn(io, path))
  return [...fromEnvironment, ...fromFile].flatMap(formsOf)
}

/** The forms in which a key is hidden: as it is, and in JSON. None for a short key. */
export const formsOf = (key: string): string[] =>
  key.trim().length < shortest ? [] : [...new Set([key.trim(), JSON.stringify(key.trim()).slice(1, -1)])]

const textIn = (io: Io, path: string): Promise<string> =>
  io.readFile(path, settingsBound).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  )

const keysIn = (text: string): string[] =>
  Array.from(text.matchAll(new RegExp(`"(?:${keyNames.join('|')})"\\s*:\\s*"([^"]+)"`, 'g')), ([, key = '']) => key)
