import { defineConfig } from 'tsup'

/** Bundled, so that `npm install @svc/cli` brings one package; lazy imports stay chunks, so that `--help` loads little. */
export default defineConfig({
  entry: { bin: 'src/bin.ts' },
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  clean: true,
  minify: true,
  splitting: true,
  // All but one: libsql is native, and needed only where Node has no SQLite of its own.
  noExternal: [/^(?!libsql$)/],
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
})
