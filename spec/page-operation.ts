import type { Json, JsonObject, Operation } from './merge.js'
import { code, nameOf, type Schema, table, typeOf } from './page-schema.js'

type Examples = Record<string, { summary: string; value: Json }>
interface Body {
  content?: { 'application/json'?: { schema: Schema; examples?: Examples } }
  description?: string
}
interface Answer extends Body {
  headers?: { [name: string]: JsonObject }
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
  example?: Json
}
/** Resolve a reference inside the description; any other value is returned as it is. */
export type Resolve = <Target>(value: JsonObject) => Target

export const json = (value: Json): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
const sections = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n\n')

export function operationSection(
  method: string,
  path: string,
  shared: JsonObject[],
  operation: Operation,
  resolve: Resolve,
): string {
  const parameters = [...shared, ...((operation.parameters ?? []) as JsonObject[])].map(resolve<Parameter>)
  return sections(
    `#### ${operation.summary} {#${operation.operationId}}`,
    `**${method.toUpperCase()}** ${code(path)}`,
    needs(operation),
    operation.description as string | undefined,
    ...(parameters.length > 0 ? ['##### Parameters', parameterTable(parameters)] : []),
    ...(operation.requestBody
      ? requestParts(resolve<Body & { required?: boolean }>(operation.requestBody as JsonObject))
      : []),
    '##### Answers',
    ...answerParts(operation.responses, resolve),
  )
}

function needs({ operationId, security, deprecated, 'x-permission': permission }: Operation): string {
  const ways = (security ?? []) as JsonObject[]
  const isOptional = ways.some((way) => Object.keys(way).length === 0)
  const key = ways.length === 0 ? 'no key' : isOptional ? 'key optional' : 'key needed'
  const parts = [`Operation ${code(operationId)}`, key, permission && `permission ${code(String(permission))}`]
  return `${parts.filter(Boolean).join(', ')}.${deprecated ? ' **Deprecated.**' : ''}`
}

const parameterTable = (parameters: Parameter[]) =>
  table(
    ['Parameter', 'Type', 'Meaning'],
    parameters.map(({ name, in: place, required, schema, description = '', example }) => [
      `${code(name)} in ${place}${required ? ', *required*' : ''}`,
      typeOf(schema),
      example === undefined ? description : `${description} Example: ${code(String(example))}`,
    ]),
  )

/** Each example below a line that says what it shows. */
const exampleParts = (label: string, examples: Examples = {}): string[] =>
  Object.values(examples).flatMap(({ summary, value }) => [`${label}: ${summary}.`, json(value)])

function requestParts({ description, content, required }: Body & { required?: boolean }): string[] {
  const { schema, examples } = content?.['application/json'] ?? {}
  return [
    '##### Request body',
    schema ? `JSON: ${typeOf(schema)}, ${required ? 'required' : 'optional'}.` : '',
    description ?? '',
    ...exampleParts('Example', examples),
  ]
}

function answerParts(responses: Operation['responses'], resolve: Resolve): string[] {
  const shown: string[] = []
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description = '', content, headers = {} } = resolve<Answer>(response)
    const { schema, examples } = content?.['application/json'] ?? {}
    const sent = Object.keys(headers).map((name) => `Header ${code(name)}.`)
    const isShared = typeof response.$ref === 'string'
    const name = nameOf(String(response.$ref))
    if (!isShared) shown.push(...exampleParts(`Example of ${code(status)}`, examples))
    return [
      code(status),
      schema ? typeOf(schema) : '',
      [description, ...(isShared ? [`See [${name}](#answer-${name}).`] : sent)].join(' '),
    ]
  })
  return [table(['Status', 'Body', 'Meaning'], rows), ...shown]
}

/** A response that several operations share. */
export function answerSection(name: string, answer: JsonObject, resolve: Resolve): string {
  const { description, content, headers = {} } = answer as Answer
  const { schema, examples } = content?.['application/json'] ?? {}
  const sent = Object.entries(headers).map(([header, value]) => {
    const { schema: type, description: meaning, required } = resolve<Omit<Parameter, 'name'>>(value)
    return `Header ${code(header)}${required ? '' : ', optional'}: ${typeOf(type)}. ${meaning ?? ''}`
  })
  return sections(
    `#### ${name} {#answer-${name}}`,
    description,
    schema && `Body: ${typeOf(schema)}.`,
    ...sent,
    ...exampleParts('Example', examples),
  )
}
