import { isSteered } from '../clock.js'
import type { OutgoingResponse } from '../http-messages.js'
import { escapeHtml, toIso } from '../validation/index.js'
import { violationLine } from '../violations/index.js'
import { controlDescription } from './description.js'
import type { ControlTarget } from './operations.js'

/** The most rows of a table: a page is for people. */
const maxRows = 200

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The state of a server and the calls of its control plane, as a page without scripts. It names keys, and shows no part of them. */
export async function statePage(target: ControlTarget): Promise<OutgoingResponse> {
  const { world, clock, faults, limiter, requests, violations } = target
  const now = clock.now()
  const stands = isSteered(clock) && !clock.running ? ', stopped' : ''
  const { saturation = 'none', ...limits } = limiter.limits ?? {}
  const projects = [...world.allProjects()].map(({ record, workspace }) => [
    record.name,
    record.id,
    workspace,
    record.transcript_count,
  ])
  const keys = [...world.keys()].map(({ name = 'without a name', workspace, permissions, revoked }) => [
    name,
    workspace,
    permissions?.join(', ') ?? 'all',
    revoked ? 'revoked' : 'valid',
  ])
  const departures = violations.list().map((each) => [violationLine(each), each.requests])
  const rules = faults.states(now).map(({ rule, count }) => [JSON.stringify(rule), count])
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>State of the reference server</title>
<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}th,td{text-align:left;padding:0 1rem 0 0}</style>
</head>
<body>
<h1>State of the reference server</h1>
<p><a href="../docs">Both surfaces</a>, <a href="openapi.json">the control plane as OpenAPI</a></p>
${table(
  'Server',
  ['', ''],
  [
    ['Clock', toIso(now) + stands],
    ['Limit of each key', 'requests' in limits ? JSON.stringify(limits) : 'none'],
    ['Saturation', typeof saturation === 'string' ? saturation : JSON.stringify(saturation)],
    ['Requests in the journal', requests.length],
  ],
)}${table('Projects', ['name', 'id', 'workspace', 'transcripts'], projects)}${table(
  'Keys',
  ['name', 'workspace', 'permissions', 'state'],
  keys,
)}${table('Faults', ['rule', 'requests'], rules)}${table(
  'Departures of requests from the interface',
  ['violation', 'requests'],
  departures,
)}${table('Calls of the control plane', ['call', 'query', 'summary'], await calls())}</body>
</html>
`
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  return { status: 200, headers, body }
}

interface Call {
  summary: string
  parameters?: readonly { in: string; name: string }[]
}

/** The calls, as the description of the control plane has them. */
async function calls(): Promise<Row[]> {
  const { paths } = JSON.parse(await controlDescription()) as { paths: Record<string, Record<string, Call>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, parameters = [] }]) => {
      const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
      return [`${method.toUpperCase()} _svc${path}`, query.join(', '), summary]
    }),
  )
}

type Row = readonly (string | number)[]

function table(title: string, names: Row, rows: readonly Row[]): string {
  const line = (cells: Row, tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(String(cell))}</${tag}>`).join('')}</tr>\n`
  const shown = rows.slice(-maxRows)
  const note = rows.length > shown.length ? `<p>The latest ${shown.length} of ${rows.length}.</p>\n` : ''
  const content =
    rows.length === 0
      ? '<p>None.</p>'
      : `<table>\n${line(names, 'th')}${shown.map((row) => line(row, 'td')).join('')}</table>`
  return `<h2>${title}</h2>\n${note}${content}\n`
}
