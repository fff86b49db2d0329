/** What a key looks like (interface: Authentication). The form of keys for surface A is not shown: `other`. */
export type KeyForm = 'current' | 'legacy' | 'jwt' | 'other' | 'unusable'

const prefixes = { current: 'sk-service-api03-', legacy: 'sk-legacy-api03-', jwt: 'ey' } as const

/** The form of a key without white space around it; `unusable` where no header could carry it. */
export function formOf(key: string): KeyForm {
  if (!/^[\x21-\x7e]+$/.test(key) || /["'`]/.test(key)) return 'unusable'
  if (key.startsWith(prefixes.current)) return 'current'
  if (key.startsWith(prefixes.legacy)) return 'legacy'
  return key.startsWith(prefixes.jwt) ? 'jwt' : 'other'
}

/** A key as it may be shown: its prefix and its last four characters, and these only where enough stays hidden. */
export function masked(key: string): string {
  const prefix = Object.values(prefixes).find((each) => key.startsWith(each)) ?? ''
  const secret = key.slice(prefix.length)
  return `${prefix}…${secret.length >= 8 ? secret.slice(-4) : ''}`
}
