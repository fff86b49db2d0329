import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { goals } from './goals.js'
import { heading, row } from './page.js'

const entry = JSON.stringify(fileURLToPath(new URL('../../packages/client/dist/index.js', import.meta.url)))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The client as a browser would load it, and each peer with one client constructed. */
export async function benchSize(): Promise<void> {
  heading('Size in a browser', 'esbuild, minified, gzip -9; the client with openapi-fetch in it')
  row('everything exported', await size(`export * from ${entry}`), 'kB', { goal: goals.everything })
  row('createClient alone', await size(`export { createClient } from ${entry}`), 'kB', { goal: goals.createClient })
  const peers = {
    'openapi-fetch': `import create from 'openapi-fetch'; globalThis.x = create({ baseUrl: '/' })`,
    ky: `import ky from 'ky'; globalThis.x = ky.create({ prefix: '/' })`,
    stripe: `import Stripe from 'stripe'; globalThis.x = new Stripe('k')`,
    openai: `import OpenAI from 'openai'; globalThis.x = new OpenAI({ apiKey: 'k' })`,
  }
  for (const [name, code] of Object.entries(peers)) row(name, await size(code), 'kB')
}

async function size(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1_000
}
