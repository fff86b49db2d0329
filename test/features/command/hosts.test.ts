import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { realIo } from '@svc/cli'
import { generate } from 'selfsigned'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

describe('the probe of a host', () => {
  const world = realIo(process, process.cwd(), { signal: new AbortController().signal, onSignal: () => () => {} })

  it('reports whether its certificate is valid', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
    const server = createServer({ key, cert })
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    )
    try {
      const facts = await world.tls('127.0.0.1', port, AbortSignal.timeout(10_000))
      expect(facts).toMatchObject({
        distrust: expect.stringMatching(/SELF_SIGNED/),
        protocol: expect.stringMatching(/^TLS/),
      })
      expect(facts.validTo).toBeGreaterThan(Date.now())
    } finally {
      server.close()
    }
    await expect(world.tls('127.0.0.1', port, AbortSignal.timeout(10_000))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  })

  it('finds its addresses', async () => {
    expect(await world.lookup('127.0.0.1')).toEqual(['127.0.0.1'])
  })

  it('knows which folders can be made', async () => {
    const { cwd } = createShell()
    expect(await world.mayWrite(`${cwd}/not/there/yet`)).toBe(true)
    writeFileSync(join(cwd, 'file'), '')
    expect(await world.mayWrite(`${cwd}/file/below`)).toBe(false)
  })
})
