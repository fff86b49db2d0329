import type { JsonObject } from '../json/index.js'

/**
 * Refuse the definition of a format that lacks an option or has an unknown one, as a program without types may give it.
 *
 * @throws {TypeError} naming the option
 */
export function refuseInvalid(
  name: string,
  definition: object,
  required: readonly string[],
  optional: readonly string[],
): void {
  const given = { ...definition } as JsonObject
  const missing = required.find((option) => given[option] === undefined)
  if (missing !== undefined) throw new TypeError(`${name}: missing option "${missing}"`)
  const known = [...required, ...optional]
  const unknown = Object.keys(given).find((option) => !known.includes(option))
  if (unknown !== undefined) throw new TypeError(`${name}: unknown option "${unknown}"; known are ${known.join(', ')}`)
  if (!/^[a-z\d]+(-[a-z\d]+)*$/.test(String(given.id)))
    throw new TypeError(`${name}: the id "${given.id}" is not lower-case words of letters and digits with hyphens`)
}
