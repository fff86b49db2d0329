import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const entry = fileURLToPath(new URL('../../packages/client/dist/index.js', import.meta.url))

/** The client as a browser would load it: minified, gzip, openapi-fetch included. */
export async function benchSize(): Promise<void> {
  console.log('\nThe client in a browser (esbuild, minified, gzip -9, openapi-fetch included)')
  for (const [name, code] of [
    ['everything exported', `export * from ${JSON.stringify(entry)}`],
    ['createClient alone', `export { createClient } from ${JSON.stringify(entry)}`],
  ] as const) {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: '.' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    console.log(`  ${name.padEnd(34)} ${(bytes / 1_000).toFixed(2).padStart(10)} kB`)
  }
}
