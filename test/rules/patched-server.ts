import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { transformSync } from 'esbuild'
import type { Patch } from './defect.js'
import { sendByFetch } from './transports/by-fetch.js'
import { bases, type Transport } from './transports/transport.js'

type Core = typeof import('@svc/reference-server/core')
type Require = (from: string) => unknown
/** What a source says, as a function that may be run again and again. */
type Body = (require: Require, module: { exports: unknown }) => void

const folder = fileURLToPath(new URL('../../packages/reference-server/src/', import.meta.url))
const ofNode = createRequire(import.meta.url)
const bodies = new Map<string, Body>()

/** The server's own Fetch, of a server from the sources with one patch in them, or with none. */
export function patchedDirect(patch?: Patch): Transport {
  const { createServer } = coreOf(patch)
  return {
    name: 'direct',
    open(options) {
      const server = createServer({ ...options, ...bases })
      return { server, bases, send: (sent) => sendByFetch(server.fetch, sent), close() {} }
    },
  }
}

/** Runs every source anew, so that no two servers share a module; only the patched one is compiled anew. */
function coreOf(patch: Patch | undefined): Core {
  const loaded = new Map<string, { exports: unknown }>()
  const load = (path: string): unknown => {
    const known = loaded.get(path)
    if (known) return known.exports
    const module = { exports: {} }
    loaded.set(path, module)
    const require: Require = (from) =>
      from.startsWith('.') ? load(join(dirname(path), from.replace(/\.js$/, '.ts'))) : ofNode(from)
    const body = patch && path === join(folder, patch.file) ? compiled(path, patched(path, patch)) : bodyOf(path)
    body(require, module)
    return module.exports
  }
  const core = load(join(folder, 'core.ts')) as Core
  if (patch && !loaded.has(join(folder, patch.file))) throw new Error(`Out of date: nothing loads ${patch.file}.`)
  return core
}

function bodyOf(path: string): Body {
  const body = bodies.get(path) ?? compiled(path, readFileSync(path, 'utf8'))
  bodies.set(path, body)
  return body
}

function compiled(path: string, source: string): Body {
  const supported = { 'dynamic-import': false }
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs', target: 'node20', supported })
  return compileFunction(code, ['require', 'module'], { filename: path }) as Body
}

function patched(path: string, { file, find, replace }: Patch): string {
  const parts = readFileSync(path, 'utf8').split(find)
  if (parts.length === 2) return parts.join(replace)
  throw new Error(`Out of date: "${find}" stands ${parts.length - 1} times in ${file}, and has to stand there once.`)
}
