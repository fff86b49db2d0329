// An Express app that stores the conversations posted to it, and answers each error with the status that fits.
import { AmbiguousWriteError, ConnectionError, InputError, ServiceError, type SvcClient } from '@svc/client'
import express, { type ErrorRequestHandler } from 'express'

export function createApp(svc: SvcClient, projectId: string): express.Express {
  const app = express()
  app.use(express.json({ limit: '5mb' }))
  app.post('/conversations', async ({ body }, response) => {
    // Shorter than the time-out of a proxy in front of the app.
    const { id, processing_status } = await svc.transcripts.upload(projectId, body, { deadlineMs: 25_000 })
    response.status(201).json({ id, processing_status })
  })
  app.use(answerError)
  return app
}

const answerError: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof InputError) response.status(400).json({ violations: error.violations })
  else if (error instanceof AmbiguousWriteError) response.status(502).json({ stored: 'unknown', ids: error.candidates })
  else if (error instanceof ConnectionError) response.status(503).json({ stored: 'no' })
  else if (error instanceof ServiceError && error.kind === 'rate_limited') {
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)
    response.status(503).set('retry-after', String(seconds)).json({ stored: 'no' })
  } else next(error)
}
