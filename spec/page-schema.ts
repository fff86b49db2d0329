import type { Json } from './merge.js'

/** The keywords that the two descriptions use. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: Json[]
  const?: Json
  default?: Json
  description?: string
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  items?: Schema
  allOf?: Schema[]
  properties?: { [name: string]: Schema }
  required?: string[]
  additionalProperties?: boolean | Schema
}

export const code = (text: string): string => `\`${text}\``
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** A table in Markdown, without empty columns. */
export function table(head: string[], rows: string[][]): string {
  const nonEmpty = (cells: string[]) => cells.filter((_, column) => rows.some((row) => row[column]))
  const cell = (text: string) =>
    text
      .trim()
      .replaceAll('|', '\\|')
      .replaceAll(/\s*\n\s*/g, ' ')
  const line = (cells: string[]) => `| ${nonEmpty(cells).map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The type, bounds and default of a value, in one line of Markdown. */
export function typeOf(schema: Schema): string {
  const bounds = [
    schema.format,
    between(schema.minLength, schema.maxLength, ' characters'),
    between(schema.minItems, schema.maxItems, ' items'),
    between(schema.minimum, schema.maximum, ''),
    schema.pattern && `pattern ${code(schema.pattern)}`,
    schema.default !== undefined && `default ${code(JSON.stringify(schema.default))}`,
  ]
  return [kindOf(schema), ...bounds].filter(Boolean).join(', ')
}

function kindOf({ $ref, allOf, const: only, enum: values, type, items, additionalProperties: more }: Schema): string {
  if ($ref) return `[${nameOf($ref)}](#schema-${nameOf($ref)})`
  if (allOf) return allOf.map(kindOf).join(' and ')
  if (only !== undefined) return code(JSON.stringify(only))
  if (values) return values.map((value) => code(JSON.stringify(value))).join(' or ')
  if (items) return `array of ${kindOf(items)}`
  if (type === 'object' && typeof more === 'object') return `object; each value: ${kindOf(more)}`
  if (type === 'object' && more) return 'object, open'
  return type === undefined ? 'any JSON value' : [type].flat().join(' or ')
}

function between(low: number | undefined, high: number | undefined, unit: string): string | undefined {
  if (low === undefined) return high === undefined ? undefined : `at most ${high}${unit}`
  return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`
}

export function schemaSection(name: string, schema: Schema): string {
  const rows = fields(schema, '')
  const body =
    rows.length > 0
      ? [
          table(['Field', 'Type', 'Meaning'], rows),
          schema.additionalProperties === true ? 'Other fields may stand beside these.' : '',
        ]
      : [`Type: ${typeOf(schema)}.`]
  return [`### ${name} {#schema-${name}}`, schema.description ?? '', ...body].filter(Boolean).join('\n\n')
}

/** The fields of an object; those of nested objects with their path. */
function fields({ properties = {}, required = [] }: Schema, path: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const label = code(path + name) + (required.includes(name) ? ' *required*' : '')
    return [[label, typeOf(field), field.description ?? ''], ...fields(field, `${path}${name}.`)]
  })
}
