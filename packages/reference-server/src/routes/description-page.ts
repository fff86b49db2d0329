import { htmlPage } from '../html-page.js'
import type { OutgoingResponse } from '../http-messages.js'

/** The page that shows `openapi.json` beside it. */
export const descriptionPage = (hasControl: boolean): OutgoingResponse =>
  htmlPage({
    title: 'Transcript Service',
    style,
    body: `${hasControl ? '<p class="top"><a href="_svc/">The requests to this server</a></p>' : ''}
<p class="top">For programs: <a href="openapi.json">openapi.json</a></p>
<main id="main" aria-live="polite"><p>Loading …</p></main>`,
    program: descriptionProgram,
    helpers: {},
  })

const style = `
.top, main { max-width: 62rem; margin: .6rem auto; padding: 0 1rem } p, li, td { overflow-wrap: anywhere }
h3 { margin-top: 2rem } summary { cursor: pointer } .text { white-space: pre-line }
`

/** The parts of an OpenAPI document that the page reads. */
interface Schema {
  [keyword: string]: unknown
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  description?: string
  items?: Schema
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}
interface Content {
  $ref?: string
  description?: string
  required?: boolean
  headers?: Record<string, { $ref?: string; description?: string }>
  content?: Record<string, { schema?: Schema; examples?: Record<string, { summary: string; value: unknown }> }>
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  deprecated?: boolean
  security: Record<string, unknown>[]
  'x-permission'?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
}
interface Document {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, { servers?: { url: string }[]; parameters?: Parameter[] } & Record<string, DescribedOperation>>
  components: Record<string, Record<string, unknown>> & {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { description?: string }>
  }
}

/** Runs in the page. */
async function descriptionProgram(): Promise<void> {
  const main = document.getElementById('main') as HTMLElement
  const response = await window.fetch('openapi.json')
  if (!response.ok) {
    main.textContent = `openapi.json: the server answered ${response.status}.`
    return
  }
  const whole = (await response.json()) as Document

  type Child = Node | string
  function el(name: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }
  /** A text whose parts between backticks are code. */
  const prose = (text = '') =>
    el('p', { class: 'text' }, ...text.split('`').map((part, at) => (at % 2 === 1 ? el('code', {}, part) : part)))
  const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)
  function resolved<Kind extends { $ref?: string }>(value: Kind): Kind {
    const [kind = '', name = ''] = (value.$ref ?? '').split('/').slice(2)
    return (whole.components[kind]?.[name] as Kind | undefined) ?? value
  }
  const table = (head: string[], lines: Child[][]) =>
    el(
      'table',
      {},
      el('thead', {}, el('tr', {}, ...head.map((name) => el('th', {}, name)))),
      el('tbody', {}, ...lines.map((line) => el('tr', {}, ...line.map((cell) => el('td', {}, cell))))),
    )

  /** The type of a value with its bounds, as texts and links to schemas. */
  function typeOf(schema: Schema): Child[] {
    const { $ref, allOf, items, additionalProperties } = schema
    if ($ref) return [el('a', { href: `#schema-${nameOf($ref)}` }, nameOf($ref))]
    if (allOf) return allOf.flatMap((each, at) => [...(at > 0 ? [' and '] : []), ...typeOf(each)])
    const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
    const bounds = [
      'format',
      'pattern',
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minimum',
      'maximum',
      'default',
    ]
      .filter((name) => schema[name] !== undefined)
      .map((name) => `, ${name} ${JSON.stringify(schema[name])}`)
    const kind: Child[] = values
      ? [values.map((value) => JSON.stringify(value)).join(' or ')]
      : items
        ? ['array of ', ...typeOf(items)]
        : typeof additionalProperties === 'object'
          ? ['object of ', ...typeOf(additionalProperties)]
          : [[schema.type ?? 'any JSON value'].flat().join(' or ')]
    return [...kind, ...bounds]
  }

  function fields({ properties = {}, required = [] }: Schema, path = ''): Child[][] {
    return Object.entries(properties).flatMap(([name, field]) => [
      [
        el('span', {}, el('code', {}, path + name), required.includes(name) ? ' required' : ''),
        el('span', {}, ...typeOf(field)),
        prose(field.description),
      ],
      ...fields(field, `${path}${name}.`),
    ])
  }

  function contentOf(title: string, given: Content): HTMLElement {
    const { description, content = {}, headers = {} } = resolved(given)
    const bodies = Object.entries(content).flatMap(([type, { schema, examples = {} }]) => [
      ...(schema ? [el('p', {}, `${type}: `, ...typeOf(schema))] : []),
      ...Object.values(examples).flatMap(({ summary, value }) => [
        el('p', { class: 'soft' }, `${summary}:`),
        el('pre', {}, JSON.stringify(value, null, 2)),
      ]),
    ])
    const sent = Object.entries(headers).map(([name, header]) =>
      el('p', {}, el('code', {}, name), `: ${resolved(header).description ?? ''}`),
    )
    return el('details', {}, el('summary', {}, title), prose(description), ...sent, ...bodies)
  }

  function keyOf({ security, 'x-permission': permission, deprecated }: DescribedOperation): string {
    const isOptional = security.some((need) => Object.keys(need).length === 0)
    const key = security.length === 0 ? 'needs no key' : isOptional ? 'the key is optional' : 'needs a key'
    return [key, permission && `permission ${permission}`, deprecated && 'deprecated'].filter(Boolean).join(', ')
  }

  const operations = Object.entries(whole.paths).flatMap(([path, { servers, parameters = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, servers, shared: parameters, operation })),
  )

  function section({ path, method, servers, shared, operation }: (typeof operations)[number]): HTMLElement {
    const parameters = [...shared, ...(operation.parameters ?? [])].map(resolved)
    return el(
      'section',
      {},
      el('h3', { id: operation.operationId }, operation.summary),
      el('p', {}, el('code', {}, `${method.toUpperCase()} ${servers?.[0]?.url ?? ''}${path}`)),
      el('p', { class: 'soft' }, `${operation.operationId}: ${keyOf(operation)}`),
      prose(operation.description),
      ...(parameters.length === 0
        ? []
        : [
            table(
              ['Parameter', 'Type', 'Meaning'],
              parameters.map((each) => [
                el('span', {}, el('code', {}, each.name), ` in ${each.in}${each.required ? ', required' : ''}`),
                el('span', {}, ...typeOf(each.schema)),
                prose(each.description),
              ]),
            ),
          ]),
      ...(operation.requestBody ? [contentOf('Request body', operation.requestBody)] : []),
      ...Object.entries(operation.responses).map(([status, answer]) =>
        contentOf(`${status} ${resolved(answer).description ?? ''}`, answer),
      ),
    )
  }

  const keys = Object.values(whole.components.securitySchemes).map(({ description }) => prose(description))
  main.replaceChildren(
    el('h1', {}, whole.info.title),
    el('p', {}, `Version ${whole.info.version}, base URL `, el('code', {}, whole.servers[0]?.url ?? '')),
    prose(whole.info.description.replaceAll(/^#+ /gm, '')),
    el('nav', { 'aria-label': 'Operations' }, el('ul', {}, ...operations.map(({ operation }) => linkTo(operation)))),
    el('h2', {}, 'Keys'),
    ...keys,
    ...whole.tags.flatMap(({ name, description }) => [
      el('h2', {}, name),
      prose(description),
      ...operations.filter(({ operation }) => operation.tags.includes(name)).map(section),
    ]),
    el('h2', {}, 'Schemas'),
    ...Object.entries(whole.components.schemas).flatMap(([name, schema]) => [
      el('h3', { id: `schema-${name}` }, name),
      prose(schema.description),
      schema.properties ? table(['Field', 'Type', 'Meaning'], fields(schema)) : el('p', {}, ...typeOf(schema)),
    ]),
  )
  // The place in the address was not there before.
  document.getElementById(location.hash.slice(1))?.scrollIntoView()

  function linkTo({ operationId, summary }: DescribedOperation): HTMLElement {
    return el('li', {}, el('a', { href: `#${operationId}` }, operationId), ` ${summary}`)
  }
}
