#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

// CommonJS packages in the bundle load modules of Node with it. Set once, because to do so in each chunk is slow.
globalThis.require = createRequire(import.meta.url)
try {
  await import('../dist/bin.js')
} catch (error) {
  // Nothing that could report it is loaded for sure. Node would print the line of the bundle that threw it.
  const frames = String(error?.stack).match(/^ +at .*$/gm) ?? []
  const bug = [`svc: ${error?.message ?? error}`, 'hint: this is a bug in svc; please report it', ...frames]
  const isBuilt = existsSync(new URL('../dist/bin.js', import.meta.url))
  process.stderr.write(isBuilt ? `${bug.join('\n')}\n` : 'svc: not built. Build first: npx --yes pnpm@12 build\n')
  process.exitCode = 1
}
