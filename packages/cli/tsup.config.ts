import { defineConfig } from 'tsup'

/** One package without dependencies: everything is bundled, and what a command alone needs is a chunk of its own. */
export default defineConfig({
  entry: ['src/bin.ts'],
  format: ['esm'],
  platform: 'node',
  target: 'es2022',
  splitting: true,
  minify: true,
  clean: true,
  // libsql is native and optional: only `svc mock --data` uses it, where Node has no SQLite of its own.
  noExternal: [/^(?!libsql$)/],
})
