import { expect, it } from 'vitest'
import { reconcile } from '../../../packages/bulk/src/ledger/index.js'
import type { RequestHandler } from '../../helpers/session.js'
import { createUploads } from './uploads-kit.js'

const lists = /\/projects\/[^/]+\/transcripts$/

/** An upload with an unknown outcome, in a project of many others, and a look at it during which something happens. */
async function lookedForWhile(happens: (pages: number, store: () => void, body: object) => object) {
  const uploads = await createUploads()
  const { server, clock, project, ledger, target, fetch } = uploads
  const of = server.world.project(project) ?? expect.unreachable()
  const store = () =>
    void server.world.createTranscript(of, { name: 'of others', turns: [{ role: 'user', content: 'x' }] })
  for (let i = 0; i < 250; i++) store()
  const item = await uploads.intend('a')
  await clock.advance(100_000)
  let pages = 0
  const watched: RequestHandler = async (request) => {
    const response = await fetch(request)
    if (!lists.test(new URL(request.url).pathname)) return response
    return Response.json(happens(++pages, store, (await response.json()) as object))
  }
  const client = uploads.client({ fetch: watched })
  const options = { client, target, clock, call: () => ({}), timeoutMs: 60_000 }
  const [settled] = await clock.until(reconcile(ledger, ledger.unresolved(), options))
  return { settled, pages, standing: ledger.stateOf(item) }
}

it('an upload is known to be unsent although others store theirs while it is looked for', async () => {
  const { settled, pages, standing } = await lookedForWhile((_, store, body) => {
    store()
    store()
    return body
  })
  expect([settled?.result, standing]).toEqual(['unsent', { state: 'unsent' }])
  expect(pages).toBeGreaterThan(2)
})

it('an upload is unknown if the list gets shorter while it is read, because that hides rows', async () => {
  const { settled } = await lookedForWhile((page, _, body) =>
    page === 1 ? body : { ...body, data: (body as { data: object[] }).data.slice(1) },
  )
  expect(settled).toMatchObject({ result: 'unknown', candidates: [] })
})
