import { scanText } from './scan.js'

/** A credential in a request body. Never the value. */
export interface Found {
  rule: string
  /** JSON pointer into the body, as in `/turns/3/content`. */
  pointer: string
  masked: string
}

/** The credentials in all texts of a body, names of fields included. `own` are values that are some in any form. */
export function scanBody(body: unknown, own: readonly string[] = []): Found[] {
  const found: Found[] = []
  const look = (text: string, pointer: string) => {
    for (const { rule, masked } of scanText(text, own)) found.push({ rule, pointer, masked })
  }
  const walk = (value: unknown, pointer: string, name: string): void => {
    if (typeof value === 'string') return look(mayName.test(name) ? `${name}=${value}` : value, pointer)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) walk(each, `${pointer}/${index}`, name)
      return
    }
    for (const [key, each] of Object.entries(value)) {
      const inName = scanText(key, own)
      for (const { rule, masked } of inName) found.push({ rule, pointer, masked })
      // A pointer is printed, and a name that is a credential would be a step of it.
      const step = inName.length > 0 ? (inName[0]?.masked ?? '') : key
      walk(each, `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, inName.length > 0 ? '' : key)
    }
  }
  walk(body, '', '')
  return found
}

/** Names of fields that say of their value that it is a credential. */
const mayName = /key|token|authoriz/i
