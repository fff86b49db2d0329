import { isObject, type JsonObject } from './json.js'

const prefixes = ['attachment://', 'tc://']
const deepest = 12

/**
 * A value in which each text that points at an attachment (`attachment://<hash>`, in old logs `tc://<hash>`) is the
 * attachment; the value itself where nothing points. What has no attachment stays a pointer.
 */
export function withAttachments(value: unknown, attachments: JsonObject, depth = 0): unknown {
  if (typeof value === 'string') return attached(value, attachments)
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) {
    let changed: unknown[] | undefined
    for (let index = 0; index < value.length; index++) {
      const found = withAttachments(value[index], attachments, depth + 1)
      if (found === value[index]) continue
      changed ??= [...value]
      changed[index] = found
    }
    return changed ?? value
  }
  if (!isObject(value)) return value
  let changed: [string, unknown][] | undefined
  for (const key in value) {
    const found = withAttachments(value[key], attachments, depth + 1)
    if (found === value[key]) continue
    changed ??= []
    changed.push([key, found])
  }
  // fromEntries defines fields, so that a key `__proto__` stays a key.
  return changed === undefined ? value : { ...value, ...Object.fromEntries(changed) }
}

function attached(text: string, attachments: JsonObject): string {
  const prefix = prefixOf(text)
  if (prefix === undefined) return text
  const hash = text.slice(prefix.length)
  const found = Object.hasOwn(attachments, hash) ? attachments[hash] : undefined
  return typeof found === 'string' ? found : text
}

function prefixOf(text: string): string | undefined {
  for (const prefix of prefixes) if (text.startsWith(prefix)) return prefix
  return undefined
}
