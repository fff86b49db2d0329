#!/usr/bin/env node
import { createRequire } from 'node:module'

// CommonJS packages in the bundle load modules of Node with it. Set once, because to do so in each chunk is slow.
globalThis.require = createRequire(import.meta.url)
await import('../dist/bin.js')
