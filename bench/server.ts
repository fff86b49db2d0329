import { referenceKey } from '@svc/reference-server/core'
import autocannon from 'autocannon'
import { median, ratio, row, sideBySide } from './measure.js'
import { compiled, run, type Server, serve, served } from './processes.js'

const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
const publicPath = '/public/api/v1'
const turns = [
  { role: 'user', content: 'My order has not arrived, and the tracking page says nothing since Monday.' },
  { role: 'assistant', content: 'I am sorry about that. I have asked the carrier, and you will hear from us today.' },
]

interface Kind {
  title: string
  path: string
  /** Makes it a POST. */
  body?: string
  /** Requests in a round. */
  amount: number
}

/** The CPU of the server's process beside one that only sends a text, over HTTP. */
export async function benchServer(): Promise<void> {
  const reference = await serve('reference-server')
  let id = ''
  for (let i = 0; i < 20; i++) {
    const created = await send(reference, { path: `${publicPath}/projects`, body: JSON.stringify({ name: `P${i}` }) })
    id = (JSON.parse(created) as { data: { id: string } }).data.id
  }
  const transcript = turns.map((turn) => ({ ...turn, is_user_visible: true }))
  const upload = { name: 'Order', turns, modelName: 'm-1', language: 'en', sourceTimestamp: '2026-01-01T00:00:00Z' }
  const kinds: Kind[] = [
    { title: 'GET a project', path: `${publicPath}/projects/${id}`, amount: 6_000 },
    { title: 'GET a page of 20 projects', path: `${publicPath}/projects?page=1&limit=20`, amount: 6_000 },
    {
      title: 'POST a transcript of 2 turns',
      path: `${publicPath}/projects/${id}/transcripts`,
      body: JSON.stringify(upload),
      amount: 1_000,
    },
    {
      title: 'POST an annotation of 2 turns',
      path: '/v1/annotations',
      body: JSON.stringify({ transcript, annotator: 'constant' }),
      amount: 4_000,
    },
  ]
  const answers = Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind.path, await send(reference, kind)] as const)),
  )
  const bare = await serve('bare-server', [JSON.stringify(answers)])
  for (const kind of kinds) {
    const load = (server: Server) => () => cpuOf(server, kind)
    const spent = await sideBySide({ bare: load(bare), reference: load(reference) }, 5)
    row(`reference server, CPU: ${kind.title}`, ratio(spent.reference, spent.bare), '≤', 3, '× bare node:http')
  }
  reference.stop()
  bare.stop()
}

async function send({ baseUrl }: Server, { path, body }: Pick<Kind, 'path' | 'body'>): Promise<string> {
  const response = await fetch(baseUrl + path, { headers, ...(body && { method: 'POST', body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}

/** The CPU of the server for requests over 20 connections, in milliseconds. */
async function cpuOf(server: Server, { path, body, amount }: Kind): Promise<number> {
  const before = await server.used()
  const { errors, non2xx } = await autocannon({
    url: server.baseUrl + path,
    connections: 20,
    amount,
    headers,
    ...(body && { method: 'POST', body }),
  })
  if (errors + non2xx > 0) throw new Error(`${path}: ${errors} errors, ${non2xx} refusals`)
  return (await server.used()).cpu - before.cpu
}

/** The time from the start of a process to its first response. */
export async function benchServerStart(): Promise<void> {
  const program = await compiled('reference-server')
  const { started } = await sideBySide({ started: () => startedIn(program) }, 9)
  row('reference server, from the start of its process to a 200', median(started), '≤', 250, 'ms')
}

async function startedIn(program: string): Promise<number> {
  const startedAt = performance.now()
  const server = await served(program)
  await send(server, { path: '/health' })
  const took = performance.now() - startedAt
  server.stop()
  return took
}

/** The first search in a project, response and JSON included. */
export async function benchSearch(): Promise<void> {
  const program = await compiled('search')
  const times: number[] = []
  for (let round = 0; round < 3; round++) times.push(Number((await run([program])).out))
  row('a first search over 10 000 transcripts of 50 turns', median(times), '≤', 1_000, 'ms')
}
