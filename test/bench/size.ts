import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { goals } from './goals.js'
import { heading, row } from './page.js'

const entry = JSON.stringify(fileURLToPath(new URL('../../packages/client/dist/index.js', import.meta.url)))
const source = JSON.stringify(fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url)))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The client as a browser would load it, and each peer with one client constructed. */
export async function benchSize(): Promise<void> {
  heading('Size in a browser', 'esbuild, minified, gzip -9; the client with openapi-fetch in it')
  row('everything exported', await size(`export * from ${entry}`), 'kB')
  row('createClient alone', await size(`export { createClient } from ${entry}`), 'kB', { goal: goals.createClient })
  const peers = {
    'openapi-fetch': `import create from 'openapi-fetch'; globalThis.x = create({ baseUrl: '/' })`,
    ky: `import ky from 'ky'; globalThis.x = ky.create({ prefix: '/' })`,
    stripe: `import Stripe from 'stripe'; globalThis.x = new Stripe('k')`,
    openai: `import OpenAI from 'openai'; globalThis.x = new OpenAI({ apiKey: 'k' })`,
  }
  for (const [name, code] of Object.entries(peers)) row(name, await size(code), 'kB')
  await madeOf()
}

/** What the client's size is made of: each part's share of the minified code, as if it were compressed as well as the whole. */
async function madeOf(): Promise<void> {
  const { outputs } = (await bundled(`export * from ${source}`)).metafile
  const [output] = Object.values(outputs)
  const inputs = Object.entries(output?.inputs ?? {})
  const whole = await size(`export * from ${source}`)
  heading('What the client is made of', 'shares of the minified code, compressed as well as the whole')
  for (const [name, files] of Object.entries(parts)) {
    const bytes = inputs
      .filter(([path]) => files.test(path))
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
    row(name, (whole * bytes) / (output?.bytes ?? Number.NaN), 'kB')
  }
}

const parts: Record<string, RegExp> = {
  'openapi-fetch': /openapi-fetch/,
  'checks of inputs': /src\/(check-input|rules|iso-time|limits)\./,
  'writes in doubt': /src\/(reconcile|match|edge-pages)\./,
  'the gate': /src\/(gate|turnstile)\./,
  'retry and Retry-After': /src\/(retry|retry-after|cause)\./,
  'errors, their kinds and words': /src\/(errors|failure|error-body|declared-errors)\./,
  'options, keys, events': /src\/(options|credentials|events|environment)\./,
  'an attempt and the call': /src\/(attempt|send|clock|answer|answered|transport)\./,
  'verbs, paging, wires': /src\/(annotation|projects|transcripts|legacy|page|request|wires|call|state|client)\./,
}

const size = async (contents: string): Promise<number> =>
  gzipSync((await bundled(contents)).outputFiles[0]?.contents ?? '', { level: 9 }).length / 1_000

const bundled = (contents: string) =>
  build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
