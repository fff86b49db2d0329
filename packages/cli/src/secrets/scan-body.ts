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
  const steps: (string | number)[] = []
  const look = (text: string) => {
    for (const { rule, masked } of scanText(text, own)) found.push({ rule, pointer: pointerOf(steps), masked })
  }
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'string') return look(mayName.test(name) ? `${name}=${value}` : value)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        steps.push(index)
        walk(value[index], name)
        steps.pop()
      }
      return
    }
    for (const key of Object.keys(value)) {
      const before = found.length
      look(key)
      const masked = found[before]?.masked
      // A pointer is printed, and a name that is a credential would be a step of it.
      steps.push(masked ?? key)
      walk((value as Record<string, unknown>)[key], masked === undefined ? key : '')
      steps.pop()
    }
  }
  walk(body, '')
  return found
}

const pointerOf = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Names of fields that say of their value that it is a credential. */
const mayName = /key|token|authoriz/i
