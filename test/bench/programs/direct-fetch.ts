import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { setupServer } from 'msw/node'
import { type Samples, sideBySide } from '../measure.js'

/**
 * Microseconds of the processor that a call takes, the answer read as JSON, by kind of request and way: the server's own
 * Fetch, or with the argument `msw` MSW over the same handlers, each beside a Fetch that does nothing but answer. Printed
 * as JSON. A process of its own for MSW: what it leaves behind makes every later Request and Response of the process dearer.
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

const over = (kind: { url: string; init: RequestInit }, send: (request: Request) => Promise<Response>) => async () =>
  answered(await send(new Request(kind.url, kind.init)))

const byValues = (kind: { url: string; init: RequestInit }) => async () =>
  answered(await server.fetch(kind.url, kind.init))

/** 500 calls a round, after enough for the compiler to have settled. */
async function direct(kind: { url: string; init: RequestInit }): Promise<Samples> {
  for (const warmed of [over(kind, empty), byValues(kind), over(kind, server.fetch)]) await spentBy(5_000, warmed)()
  return sideBySide(
    {
      [nothing]: spentBy(500, over(kind, empty)),
      'server.fetch(url, init)': spentBy(500, byValues(kind)),
      'server.fetch(request)': spentBy(500, over(kind, server.fetch)),
    },
    15,
  )
}

async function mocked(kind: { url: string; init: RequestInit }): Promise<Samples> {
  const throughMsw = async () => {
    const interceptor = setupServer(...server.handlers)
    interceptor.listen()
    // Looked up at each call: MSW puts its own in the place of the global one.
    const spent = await spentBy(
      200,
      over(kind, (request) => fetch(request)),
    )()
    interceptor.close()
    return spent
  }
  await spentBy(5_000, over(kind, empty))()
  return sideBySide({ [nothing]: spentBy(500, over(kind, empty)), 'MSW setupServer': throughMsw }, 15)
}

const nothing = 'a Fetch that only answers'
const measure = process.argv[2] === 'msw' ? mocked : direct
const measured: Record<string, Samples> = {}
for (const [kind, call] of Object.entries(kinds)) measured[kind] = await measure(call)
console.log(JSON.stringify(measured))
