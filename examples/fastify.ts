// A Fastify app that stores each finished conversation in the background: it answers at once, whatever the service does.
//
//   const app = createApp(createClient(), project, './uploads')
//   process.once('SIGTERM', () => app.close())
//   await app.listen({ port: 3000 })
import { createUploader, type UploaderOptions } from '@svc/bulk'
import { InputError, type SvcClient } from '@svc/client'
import Fastify, { type FastifyInstance } from 'fastify'

export function createApp(
  client: SvcClient,
  project: string,
  ledger: string,
  more: Partial<UploaderOptions> = {},
): FastifyInstance {
  const app = Fastify({ bodyLimit: 5 * 2 ** 20 })
  const uploader = createUploader({
    ...{ client, project, ledger },
    onResult: (result) => {
      if (result.result === 'failed' || result.result === 'unknown') app.log.error(result.error, result.item.name)
      if (result.result === 'duplicate') app.log.warn({ ids: result.ids }, `stored twice: ${result.item.name}`)
    },
    onEvent: (event) => {
      if (event.type === 'paused') app.log.warn(event.error, `uploads pause: ${event.step}`)
    },
    ...more,
  })

  app.post<{ Params: { id: string }; Body: Parameters<typeof uploader.add>[0] }>(
    '/conversations/:id',
    async ({ params, body }, reply) => {
      // Once this resolves, the conversation survives a crash of this process.
      await uploader.add(body, { id: params.id })
      return reply.code(202).send({ accepted: params.id })
    },
  )
  app.get('/uploads', async () => uploader.stats())

  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof InputError) return reply.code(400).send({ violations: error.violations })
    // The disk is full, or too much waits: the caller may try again later.
    app.log.error(error)
    return reply.code(503).send({ accepted: null })
  })
  // `app.close()` on SIGTERM: requests under way end, the rest is sent after the restart.
  app.addHook('onClose', () => uploader.close())
  return app
}
