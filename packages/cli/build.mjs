import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

/*
 * The command as it is published: one package without dependencies, that loads what it uses when it uses it.
 * CommonJS, because Node needs a fifth of its own start to set its other loader up.
 */

const require = createRequire(import.meta.url)
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const outdir = here('dist')

/** Node's own modules that take long to load; what is imported of them is fetched when it is first touched. */
const slow =
  /^(node:)?(child_process|crypto|dgram|dns|dns\/promises|fs\/promises|http|https|http2|net|os|readline|readline\/promises|stream|stream\/promises|tls|worker_threads|zlib)$/

const laterModules = {
  name: 'later-modules',
  setup(builder) {
    builder.onResolve({ filter: slow }, ({ path, kind, namespace }) =>
      namespace === 'later' || kind === 'dynamic-import'
        ? { path, external: true }
        : { path: path.replace(/^(node:)?/, 'node:'), namespace: 'later', sideEffects: false },
    )
    builder.onLoad({ filter: /./, namespace: 'later' }, ({ path }) => {
      const getters = Object.keys(require(path)).map((name) => `get ${name}() { return require('${path}').${name} }`)
      return { contents: `module.exports = { ${getters.join(', ')} }` }
    })
  },
}

/** Puts the help texts in the place of their empty table, so that showing one needs no parser. */
const preparedHelp = (texts) => ({
  name: 'prepared-help',
  setup(builder) {
    builder.onLoad({ filter: /\/prepared-help\.ts$/ }, () => ({
      contents: `export const preparedHelp = () => new Map(JSON.parse(${JSON.stringify(JSON.stringify(texts))}))`,
    }))
  },
})

/** What comes first is one small file; the rest is loaded when it is needed. */
const mainIsLater = {
  name: 'main-is-later',
  setup(builder) {
    builder.onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: './main.cjs', external: true }))
  },
}

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  logLevel: 'warning',
  outdir,
  outExtension: { '.js': '.cjs' },
  // Native, and needed only where Node has no SQLite of its own.
  external: ['libsql'],
}
const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } }

/** Builds an entry and its chunks. esbuild splits ES modules only, so that each is made CommonJS afterwards. */
async function buildSplit(entry) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [here(`src/${entry}.ts`)],
    format: 'esm',
    splitting: true,
    write: false,
    plugins: [laterModules],
  })
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, { ...commonJs, platform: 'node', target: 'node20', minify: true })
    await writeFile(path, code)
  }
}

await rm(outdir, { recursive: true, force: true })
await mkdir(outdir)
await build({ ...shared, ...commonJs, entryPoints: [here('src/help-texts.ts')], plugins: [laterModules] })
const { helpTexts } = require(here('dist/help-texts.cjs'))
const texts = [...helpTexts()]
await rm(outdir, { recursive: true })
await mkdir(outdir)
await buildSplit('main')
await build({
  ...shared,
  ...commonJs,
  entryPoints: [here('src/bin.ts')],
  plugins: [laterModules, preparedHelp(texts), mainIsLater],
})
