import { job } from '../../helpers/runtimes/job.js'

interface FetchEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}

/** The job in an Edge Runtime, which has the events of a service worker: a request brings the URLs, its answer is the report. */
const answer = async ({ request }: FetchEvent): Promise<Response> => {
  try {
    return Response.json(await job((await request.json()) as Parameters<typeof job>[0]))
  } catch (error) {
    return new Response(String((error as Error)?.stack ?? error), { status: 500 })
  }
}

addEventListener('fetch', (event) => {
  const asked = event as unknown as FetchEvent
  asked.respondWith(answer(asked))
})
