import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { plainServer } from './servers.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs a program in a process whose packages are the client and what it cannot do without; gives what it printed. */
async function withoutUndici(program: string): Promise<string> {
  const modules = join(mkdtempSync(join(tmpdir(), 'svc-no-undici-')), 'node_modules')
  mkdirSync(join(modules, '@svc'), { recursive: true })
  cpSync(join(root, 'packages/client/dist'), join(modules, '@svc/client/dist'), { recursive: true })
  cpSync(join(root, 'packages/client/package.json'), join(modules, '@svc/client/package.json'))
  symlinkSync(realpathSync(join(root, 'packages/client/node_modules/openapi-fetch')), join(modules, 'openapi-fetch'))
  const file = join(modules, '..', 'program.mjs')
  const imports = `import { createClient } from '@svc/client'\nimport { nodeTransport } from '@svc/client/node'\n`
  writeFileSync(file, imports + program)
  try {
    return (await promisify(execFile)(process.execPath, [file])).stdout
  } finally {
    rmSync(join(modules, '..'), { recursive: true })
  }
}

describe('nodeTransport() where undici is not installed', () => {
  it('a proxy is refused, with what to do, where undici is not installed', async () => {
    const reported = await withoutUndici(`
      const transport = nodeTransport({ environment: { https_proxy: 'http://127.0.0.1:9' } })
      const svc = createClient({ publicBaseUrl: 'https://svc.test', apiKey: 'k', transport })
      const error = await svc.projects.create({ name: 'P' }).catch((error) => error)
      console.log(error.name, error.reason, error.message.includes('npm install undici'))`)
    expect(reported).toBe('InputError missing_package true\n')
  })

  it('a pool of connections is done without where undici is not installed', async () => {
    const server = await plainServer()
    const reported = await withoutUndici(`
      const transport = nodeTransport({ environment: {}, connections: 2 })
      const svc = createClient({ baseUrl: 'http://127.0.0.1:${server.port}', transport })
      console.log((await svc.health()).status)
      await transport.close()`)
    await server.close()
    expect([reported, server.requests.length]).toEqual(['ok\n', 1])
  })
})
