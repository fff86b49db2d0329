import { afterEach, expect, test } from 'vitest'
import { closeKept, dial, request, serving } from '../../test/fixtures/edge.js'

afterEach(closeKept)

test('releases a body after the response, although the connection is kept', async () => {
  const held = () => {
    globalThis.gc?.()
    return process.memoryUsage().arrayBuffers
  }
  const size = 4_000_000
  const { port } = await serving(async (call) => {
    const { length } = await call.readBody(size)
    return { status: 200, headers: {}, body: String(length) }
  })
  const before = held()
  for (let i = 0; i < 5; i++) {
    const { until } = dial(port, request('POST /', `Content-Length: ${size}\r\n`, 'x'.repeat(size)))
    await until(/4000000$/)
  }
  await expect.poll(() => held() - before).toBeLessThan(size)
})
