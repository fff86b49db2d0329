import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

/** A body of so many bytes in chunks of 16 KiB, and how many of them were asked for. */
function counted(size: number, text = 'x', before = '') {
  const counts = { bytes: 0, isCancelled: false }
  const chunk = new TextEncoder().encode(text.repeat(16_384).slice(0, 16_384))
  const body = new ReadableStream(
    {
      start: (controller) => controller.enqueue(new TextEncoder().encode(before)),
      pull(controller) {
        if (counts.bytes >= size) return controller.close()
        counts.bytes += chunk.length
        controller.enqueue(chunk)
      },
      cancel() {
        counts.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, counts }
}

describe('the body of an error', () => {
  it.each(['<title', '<title>', '<title x', '{"a":', '[', ' ', '<title>a<'])(
    'made of %j alone is read in time that grows with its length only',
    async (text) => {
      const { svc } = scripted([new Response(text.repeat(900_000 / text.length), { status: 403 })])
      const startedAt = performance.now()
      expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({ kind: 'permission' })
      // Seconds where it took minutes.
      expect(performance.now() - startedAt).toBeLessThan(5_000)
    },
  )

  it('the body of an error is read up to 64 KiB if it is not JSON, and keeps status, kind and title', async () => {
    const { body, counts } = counted(10_000_000, 'x', '<html><title>Bad gateway</title>')
    const { svc } = scripted([new Response(body, { status: 404, headers: { 'content-type': 'application/json' } })])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toMatchObject({ status: 404, kind: 'not_found', detail: 'Bad gateway' })
    expect([error.body.length, counts.isCancelled]).toEqual([65_536, true])
    expect(counts.bytes).toBeLessThanOrEqual(65_536 + 2 * 16_384)
  })

  it('the body of an error is read up to 1 MiB if it is JSON, and a truncated one is not shown', async () => {
    const { body, counts } = counted(10_000_000, 'my words ', '\n{"error":{"message":"')
    const { svc } = scripted([new Response(body, { status: 403 })])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toMatchObject({ status: 403, kind: 'permission', detail: undefined })
    expect(error.message).not.toContain('my words')
    expect([error.body.length, counts.isCancelled]).toEqual([1_048_576, true])
  })

  it('within its bound is read completely', async () => {
    const message = 'm'.repeat(100_000)
    const { svc } = scripted([json({ error: { message, type: 'not_found_error', code: 404 } }, 404)])
    expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({ type: 'not_found_error' })
  })

  it('the body of an error that is truncated does not change the retries', async () => {
    const { body } = counted(10_000_000)
    const { svc, clock, requests } = scripted([new Response(body, { status: 503 }), json(project)])
    expect(await clock.until(svc.projects.get('hp-1'))).toMatchObject({ id: 'hp-1' })
    expect(requests).toHaveLength(2)
  })
})

describe('the body of a success', () => {
  it('above maxResponseBytes is an unexpected answer, and reading stops', async () => {
    const { body, counts } = counted(10_000_000, ' ')
    const { svc, requests } = scripted([new Response(body)], { maxResponseBytes: 100_000 })
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toMatchObject({ name: 'ServiceError', status: 200, kind: 'unexpected' })
    expect(error.message).toContain('maxResponseBytes')
    expect([counts.isCancelled, requests.length]).toEqual([true, 1])
    expect(counts.bytes).toBeLessThan(200_000)
  })

  it('the body of a success that is nested too deep to be written again is an unexpected answer', async () => {
    const nested = (levels: number) =>
      new Response(`{"data":{"id":"p","x":${'['.repeat(levels)}${']'.repeat(levels)}}}`)
    const { svc } = scripted([nested(500), nested(200_000)])
    expect(await svc.projects.get('hp-1')).toMatchObject({ id: 'p' })
    expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({ kind: 'unexpected', status: 200 })
  })

  it('the body of a success of exactly maxResponseBytes is read', async () => {
    const text = JSON.stringify(project)
    const { svc } = scripted([new Response(text)], { maxResponseBytes: text.length })
    expect(await svc.projects.get('hp-1')).toMatchObject({ id: 'hp-1' })
  })

  it('the body of a success that is too large counts as a lost answer of a write', async () => {
    const { body } = counted(1_000_000)
    const { svc } = scripted([new Response(body, { status: 201 })], { maxResponseBytes: 1_000 })
    expect(await failureOf(svc.transcripts.upload('hp-1', upload))).toMatchObject({
      name: 'AmbiguousWriteError',
      cause: { kind: 'unexpected' },
    })
  })

  it('the body of a success of 540 MB settles the call, at the default bound and at one that no string can hold', async () => {
    for (const maxResponseBytes of [undefined, 2e9]) {
      const { body } = counted(540_000_000, ' ')
      const { svc } = scripted([new Response(body)], { maxResponseBytes })
      expect(await failureOf(svc.projects.list())).toMatchObject({ kind: 'unexpected', status: 200 })
    }
  }, 60_000)

  it.each([0, -1, Number.NaN])('does not accept a bound of %s', (maxResponseBytes) => {
    expect(() => scripted([], { maxResponseBytes })).toThrow(/maxResponseBytes: expected a number above 0/)
  })

  it('the body of a success of a write only needs a usable id', async () => {
    const odd = { id: 'tr_1', name: 7, metadata: [], turn_count: 'x', processing_status: {}, created_at: null }
    const { svc } = scripted([json({ data: odd, processing_time_ms: '1' }, 201)])
    expect(await svc.transcripts.upload('hp-1', upload)).toEqual(odd)
    const { svc: other } = scripted([json({ data: { ...odd, id: '' } }, 201)])
    expect(await failureOf(other.transcripts.upload('hp-1', upload))).toMatchObject({ name: 'AmbiguousWriteError' })
  })
})

describe('a list', () => {
  it.each([['"3"'], ['null'], ['{}'], ['[]'], ['true'], ['"\\u001b[31m"']])(
    'whose total is %s is walked to a short page',
    async (total) => {
      const page = (ids: string[]) =>
        new Response(
          `{"data":${JSON.stringify(ids.map((id) => ({ id })))},"pagination":{"page":1,"limit":2,"total":${total}}}`,
        )
      const { svc, requests } = scripted([page(['a', 'b']), page(['c'])])
      const ids: string[] = []
      for await (const { id } of svc.projects.all({ limit: 2 })) ids.push(id)
      expect([ids, requests.length]).toEqual([['a', 'b', 'c'], 2])
    },
  )
})

describe('a key that the service repeats', () => {
  const key = 'sk-service-api03-se+cr/et=='
  const forms = ['', 'a', 'ab', 'Bearer '].flatMap((before) => [
    [`Base64 after "${before}"`, btoa(`${before}${key}`)],
    [`Base64 after "${before}" and before more`, btoa(`${before}${key} and more`)],
    [
      `Base64url after "${before}"`,
      btoa(`${before}${key}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ],
  ])

  it.each([
    ['as it is', key],
    ['URL-encoded', encodeURIComponent(key)],
    ['URL-encoded in lower case', encodeURIComponent(key).toLowerCase()],
    ...forms,
  ] as [string, string][])(
    'a repeated key (%s) is masked in the error, its fields and its request id',
    async (_, form) => {
      const bodies = [
        json({ error: { message: `no ${form}.`, type: form, code: 401 } }, 401, { 'x-request-id': form }),
        json({ detail: [{ loc: ['path', form], msg: form }] }, 422),
        new Response(form, { status: 403 }),
      ]
      const { svc, events } = scripted(bodies, { apiKey: key })
      for (const _ of bodies) {
        const error = await failureOf(svc.batches.get('b'))
        const shown = `${error.stack}${JSON.stringify([error, events])}`
        expect(shown).toContain('…')
        // A part of it, whatever stands before and behind.
        expect(shown).not.toContain(form.slice(12, -12))
      }
    },
  )
})
