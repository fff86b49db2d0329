// A Worker that answers a posted conversation with its outcome and signals. The key is a secret of the Worker.
import { createClient, InputError, ServiceError, type TranscriptMessage } from '@svc/client'

export interface Env {
  SVC_API_KEY: string
  SVC_BASE_URL: string
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const svc = createClient({ apiKey: env.SVC_API_KEY, baseUrl: env.SVC_BASE_URL })
    try {
      const transcript = (await request.json()) as TranscriptMessage[]
      const options = { signal: request.signal, deadlineMs: 60_000 }
      const { outcome, signals } = await svc.annotations.create({ annotator: 'structural', transcript }, options)
      return Response.json({ outcome, signals })
    } catch (error) {
      if (error instanceof InputError) return Response.json({ violations: error.violations }, { status: 400 })
      if (error instanceof ServiceError) return Response.json({ kind: error.kind }, { status: 502 })
      throw error
    }
  },
}
