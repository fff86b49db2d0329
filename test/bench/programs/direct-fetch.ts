import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { setupServer } from 'msw/node'
import { type Samples, sideBySide } from '../measure.js'

/**
 * Microseconds of the processor that a call takes, the answer read as JSON, by kind of request and way: the server's own
 * Fetch, MSW over the same handlers, and a Fetch that does nothing but answer. Printed as JSON.
 */
const server = createReferenceServer()
const project = server.world.createProject({ name: 'P' }).record
const authorization = `Bearer ${referenceKey}`
const turns = [
  { role: 'user', content: 'My order has not arrived, and the tracking page says nothing since Monday.' },
  { role: 'assistant', content: 'I am sorry about that. I have asked the carrier, and you will hear from us today.' },
]

const kinds: Record<string, { url: string; init: RequestInit }> = {
  'GET a project': {
    url: `${server.publicBaseUrl}/projects/${project.id}`,
    init: { headers: { authorization } },
  },
  'POST a transcript': posted(`${server.publicBaseUrl}/projects/${project.id}/transcripts`, { name: 'A talk', turns }),
  'POST an annotation': posted(`${server.baseUrl}/v1/annotations`, { transcript: turns, annotator: 'structural' }),
}

function posted(url: string, body: object) {
  const headers = { authorization, 'content-type': 'application/json' }
  return { url, init: { method: 'POST', headers, body: JSON.stringify(body) } }
}

const spentBy = (calls: number, work: () => Promise<unknown>) => async (): Promise<number> => {
  const before = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

async function empty(request: Request): Promise<Response> {
  await request.text()
  const answer = JSON.stringify({ data: project, processing_time_ms: 0 })
  return new Response(answer, { headers: { 'content-type': 'application/json' } })
}

async function answered(response: Response): Promise<unknown> {
  const body: unknown = await response.json()
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(body)}`)
  return body
}

const measured: Record<string, Samples> = {}
for (const [kind, { url, init }] of Object.entries(kinds)) {
  const over = (send: (request: Request) => Promise<Response>) => async () =>
    answered(await send(new Request(url, init)))
  // Looked up at each call: MSW puts its own in the place of the global one.
  const mocked = over((request) => fetch(request))
  const throughMsw = async () => {
    const interceptor = setupServer(...server.handlers)
    interceptor.listen()
    const spent = await spentBy(200, mocked)()
    interceptor.close()
    return spent
  }
  // Enough for the compiler to have settled before the first measured round.
  for (const warmed of [empty, server.fetch]) await spentBy(5_000, over(warmed))()
  measured[kind] = await sideBySide(
    {
      'a Fetch that only answers': spentBy(500, over(empty)),
      'server.fetch': spentBy(500, over(server.fetch)),
      'MSW setupServer': throughMsw,
    },
    15,
  )
}
console.log(JSON.stringify(measured))
