import { createHash } from 'node:crypto'
import { Marked } from 'marked'
import type { Description, JsonObject, Operation, Part } from './merge.js'
import { answerSection, operationSection, type Resolve } from './page-operation.js'
import { nameOf, type Schema, schemaSection } from './page-schema.js'

/** The section of a surface, with its base URL. */
interface Chapter {
  part: Part
  base: string
}

/** The description as one HTML page, without scripts and external resources. */
export function renderPage(whole: Description, parts: readonly Part[], server: string, style: string): string {
  const chapters = parts.map((part) => ({ part, base: (part.server ?? server) + part.prefix }))
  const head = [
    `# ${whole.info.title}`,
    whole.info.summary,
    'The same in one document for programs: [openapi.json](openapi.json), [openapi.yaml](openapi.yaml).',
  ]
  const text = [
    ...chapters.map((chapter) => chapterSection(whole, chapter)),
    '## Schemas {#schemas}',
    ...Object.entries(whole.components.schemas ?? {}).map(([name, schema]) => schemaSection(name, schema as Schema)),
  ]
  return shell(whole.info.title, style, {
    header: html(head.join('\n\n')),
    nav: html(contents(whole, chapters)),
    main: html(text.join('\n\n')),
  })
}

function chapterSection(whole: Description, { part, base }: Chapter): string {
  const { info, tags, components } = part.document
  const resolve: Resolve = (value) => {
    const [kind, name] = String(value.$ref ?? '')
      .split('/')
      .slice(2)
    return (kind && name ? whole.components[kind]?.[name] : value) as never
  }
  const keys = Object.values(components.securitySchemes ?? {}).map(({ description }) => String(description))
  const shared = [...new Set(operationsIn(whole, tags).flatMap(({ operation }) => sharedAnswers(operation)))]
  return [
    `## ${info.title} {#${part.name}}`,
    info.summary,
    `Base URL: \`${base}\`, version ${info.version}.`,
    info.description,
    `### Keys {#${part.name}-keys}`,
    ...keys,
    ...tags.flatMap((tag) => [
      `### ${tag.name} {#tag-${tag.name}}`,
      tag.description,
      ...operationsIn(whole, [tag]).map(({ method, path, item, operation }) =>
        operationSection(method, path, (item.parameters ?? []) as JsonObject[], operation, resolve),
      ),
    ]),
    `### Errors {#${part.name}-errors}`,
    ...shared.map((name) => answerSection(name, whole.components.responses?.[name] ?? {}, resolve)),
  ].join('\n\n')
}

const sharedAnswers = ({ responses }: Operation) =>
  Object.values(responses).flatMap(({ $ref }) => (typeof $ref === 'string' ? [nameOf($ref)] : []))

function operationsIn(whole: Description, tags: Description['tags']) {
  return tags.flatMap(({ name }) =>
    Object.entries(whole.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, value]) => {
        const operation = value as Operation
        return operation.tags?.includes(name) ? [{ method, path, item, operation }] : []
      }),
    ),
  )
}

function contents(whole: Description, chapters: Chapter[]): string {
  const links = chapters.flatMap(({ part: { name, document } }) => [
    `- [${document.info.title}](#${name})`,
    `  - [Keys](#${name}-keys)`,
    ...operationsIn(whole, document.tags).map(
      ({ operation: { operationId } }) => `  - [${operationId}](#${operationId})`,
    ),
    `  - [Errors](#${name}-errors)`,
  ])
  const schemas = Object.keys(whole.components.schemas ?? {}).map((name) => `  - [${name}](#schema-${name})`)
  return [...links, '- [Schemas](#schemas)', ...schemas].join('\n')
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      const [, text, id] = /^(.*?)(?: \{#([\w.-]+)\})?$/s.exec(this.parser.parseInline(tokens)) ?? []
      return `<h${depth}${id ? ` id="${id}"` : ''}>${text}</h${depth}>\n`
    },
  },
})
const html = (markdown: string) => marked.parse(markdown, { async: false })

function shell(title: string, style: string, { header, nav, main }: Record<'header' | 'nav' | 'main', string>): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
${header}</header>
<nav aria-label="Contents">
${nav}</nav>
<main id="content">
${main}</main>
</body>
</html>
`
}
