import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
const modules = join(folder, 'node_modules')
afterAll(() => rmSync(folder, { recursive: true }))

const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const node = (...args: string[]) => run(process.execPath, args).trim()

/** Unpacks a package as it would be published into an application's node_modules. */
function install(name: string): void {
  const packed = mkdtempSync(join(folder, 'pack-'))
  run('npm', ['pack', '--silent', '--pack-destination', packed], join(root, 'packages', name))
  const [tarball = ''] = readdirSync(packed)
  const target = join(modules, '@svc', name)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', join(packed, tarball), '-C', target, '--strip-components', '1'])
}

beforeAll(() => {
  for (const name of ['client', 'transcripts', 'reference-server', 'cli']) install(name)
  // The client's one dependency, from where this workspace has it.
  symlinkSync(realpathSync(join(root, 'packages/client/node_modules/openapi-fetch')), join(modules, 'openapi-fetch'))
}, 60_000)

describe('the packed packages', () => {
  it('hold what runs and what describes it, and no sources', () => {
    for (const name of ['client', 'transcripts', 'reference-server', 'cli']) {
      const files = readdirSync(join(modules, '@svc', name))
      expect(files.sort()).toEqual(
        [
          ...(name === 'cli' ? ['bin', 'svc.checks.schema.json'] : []),
          ...['LICENSE', 'README.md', 'dist', 'package.json'],
        ].sort(),
      )
    }
  })

  it('give the schema of the policy file by a name of its own', () => {
    expect(node('-p', "require('@svc/cli/checks.schema.json').title")).toBe('Policy of svc check')
  })

  it.each([
    ['@svc/client', 'createClient'],
    ['@svc/transcripts', 'parse'],
    ['@svc/reference-server/core', 'createServer'],
  ])('give %s to import and to require', (name, value) => {
    expect(node('--input-type=module', '-e', `import { ${value} } from '${name}'; console.log(typeof ${value})`)).toBe(
      'function',
    )
    expect(node('-e', `console.log(typeof require('${name}').${value})`)).toBe('function')
  })

  it('give errors that instanceof knows across the copies for import and for require', () => {
    const program = join(folder, 'copies.mjs')
    writeFileSync(
      program,
      `import { createRequire } from 'node:module'
       import { createClient, InputError, ServiceError } from '@svc/client'
       const required = createRequire(import.meta.url)('@svc/client')
       const error = await required.createClient({ environment: {} }).health().catch((e) => e)
       console.log(required.InputError === InputError, error instanceof InputError, error instanceof ServiceError)`,
    )
    expect(node(program)).toBe('false true false')
  })

  it('work together without the workspace', () => {
    const program = join(folder, 'program.mjs')
    writeFileSync(
      program,
      `import { createClient } from '@svc/client'
       import { createServer, referenceKey } from '@svc/reference-server/core'
       const { baseUrl, publicBaseUrl, fetch } = createServer({ baseUrl: 'https://svc.test' })
       const svc = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, fetch })
       console.log((await svc.projects.create({ name: 'packed' })).name)`,
    )
    expect(node(program)).toBe('packed')
  })

  it('give svc with no dependency at all', () => {
    rmSync(join(modules, 'openapi-fetch'))
    const bin = join(modules, '@svc/cli/bin/svc.js')
    expect(node(bin, '--version')).toBe('0.1.0')
    expect(node(bin, 'mock', '--', process.execPath, bin, 'health')).toBe('status\tok\nsubstrate\tlambda')
  })
})
