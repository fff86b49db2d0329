import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

it('svc sends nothing over plain http through the proxy of the environment, and goes past it for loopback', async () => {
  const asked: (string | undefined)[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url)
    response.setHeader('content-type', 'application/json').end('{"status":"ok","substrate":"lambda"}')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const here = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const health = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, [bin, 'health'], { env: { HTTP_PROXY: here, ...env }, stdio: 'ignore' })
    return new Promise((resolve) => child.on('close', resolve))
  }
  expect(await health({ SVC_BASE_URL: 'http://svc.localhost' })).toBe(3)
  expect(await health({ SVC_BASE_URL: here })).toBe(0)
  expect(asked).toEqual(['/health'])
  await new Promise((resolve) => proxy.close(resolve))
})
