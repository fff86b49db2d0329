import { job } from '../../helpers/runtimes/job.js'

/** The job in a Worker: a request brings the URLs, its answer is the report. */
export default {
  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await job((await request.json()) as Parameters<typeof job>[0]))
    } catch (error) {
      return new Response(String((error as Error)?.stack ?? error), { status: 500 })
    }
  },
}
