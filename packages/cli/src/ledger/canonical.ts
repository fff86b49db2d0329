/**
 * A value as JSON that does not depend on the order in which an object's fields were written; what JSON leaves out, this
 * leaves out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (value instanceof Date) return JSON.stringify(value)
  // Strings are added up, without arrays between: this is done for every turn of every upload.
  let text = ''
  if (Array.isArray(value)) {
    for (const each of value) text += `${text && ','}${canonicalJson(each)}`
    return `[${text}]`
  }
  const fields = value as Record<string, unknown>
  for (const name of Object.keys(fields).sort()) {
    const each = fields[name]
    if (each !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(each)}`
  }
  return `{${text}}`
}
