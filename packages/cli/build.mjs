import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire, Module } from 'node:module'
import { basename, dirname, join } from 'node:path'
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
  /^(node:)?(child_process|crypto|dgram|dns|dns\/promises|fs\/promises|http|https|http2|net|os|readline|readline\/promises|stream|stream\/promises|tls|v8|vm|worker_threads|zlib)$/

const laterModules = {
  name: 'later-modules',
  setup(builder) {
    builder.onResolve({ filter: slow }, ({ path, kind, namespace }) =>
      namespace === 'later' || kind === 'dynamic-import'
        ? { path, external: true }
        : { path: path.replace(/^(node:)?/, 'node:'), namespace: 'later', sideEffects: false },
    )
    builder.onLoad({ filter: /./, namespace: 'later' }, ({ path }) => {
      // Node looks a module up anew each time that it is required, which is too long for each hash of many.
      const getters = Object.keys(require(path)).map((name) => `get ${name}() { return whole().${name} }`)
      const whole = `let found; const whole = () => (found ??= require('${path}'))`
      return { contents: `${whole}; module.exports = { ${getters.join(', ')} }` }
    })
  },
}

/** The client does not make Node load its own fetch, which takes as long as Node itself. */
const lightHeaders = {
  name: 'light-headers',
  setup(builder) {
    const from = JSON.stringify(here('src/light-headers.ts'))
    const light = `import { LightHeaders as Headers, NoFormData as FormData } from ${from}\n`
    builder.onLoad({ filter: /\/(openapi-fetch|client)\/dist\/.*\.m?js$/ }, async ({ path }) => ({
      contents: light + (await readFile(path, 'utf8')),
    }))
  },
}

/** Of undici what sends: its index loads a fetch, web sockets and caches too, which takes four times as long. */
const whatSends = {
  name: 'what-sends',
  setup(builder) {
    const parts = {
      EnvHttpProxyAgent: 'dispatcher/env-http-proxy-agent',
      Pool: 'dispatcher/pool',
      buildConnector: 'core/connect',
    }
    const resolved = Object.entries(parts).map(
      ([name, file]) => `get ${name}() { return require('undici/lib/${file}.js') }`,
    )
    builder.onResolve({ filter: /^undici$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'what-sends',
      pluginData: resolveDir,
    }))
    builder.onLoad({ filter: /./, namespace: 'what-sends' }, ({ pluginData }) => ({
      contents: `module.exports = { ${resolved.join(', ')} }`,
      resolveDir: pluginData,
    }))
  },
}

/** The parser as ES modules: as scopes of their own, which they are else, V8 reads its files twice. */
const parserInScope = {
  name: 'parser-in-scope',
  setup(builder) {
    const folder = dirname(require.resolve('commander'))
    const contents = ['command', 'option', 'argument', 'help', 'error']
      .map((file) => `export * from './lib/${file}.js'`)
      .join('\n')
    builder.onResolve({ filter: /^commander$/ }, ({ path }) => ({ path, namespace: 'parser' }))
    builder.onLoad({ filter: /./, namespace: 'parser' }, () => ({ contents, resolveDir: folder }))
    builder.onLoad({ filter: /\/commander\/lib\/\w+\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replace(/^const (\w+) = require\('(.+)'\)\.\1;$/gm, "import { $1 } from '$2';")
        .replace(/^const (.+) = require\('(.+)'\);$/gm, "import $1 from '$2';")
        .replace(/^exports\.(\w+) = \1;/gm, 'export { $1 };'),
    }))
  },
}

/** Tells what was compiled of these files from what was compiled of others. */
const ownBuildId = (files) => ({
  name: 'build-id',
  setup(builder) {
    const hash = createHash('sha256')
    for (const { path, text } of files) hash.update(`${basename(path)}\n${text}\n`)
    const contents = `export const buildId = '${hash.digest('hex').slice(0, 12)}'`
    builder.onLoad({ filter: /\/build-id\.ts$/ }, () => ({ contents }))
  },
})

const shared = {
  bundle: true,
  write: false,
  platform: 'node',
  // For `node20` esbuild writes each expression with \p{…} as one that is made anew at each use.
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
  outdir,
  outExtension: { '.js': '.cjs' },
  // Native, and needed only where Node has no SQLite of its own.
  external: ['libsql'],
  // As an ES module it asks where it stands, which is nowhere once it is bundled.
  alias: { fdir: createRequire(require.resolve('tinyglobby')).resolve('fdir') },
}
const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } }

/** An entry and its chunks. esbuild splits ES modules only, so that each is made CommonJS afterwards. */
async function split(entry, parts) {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [here(`src/${entry}.ts`)],
    format: 'esm',
    splitting: true,
    metafile: true,
    plugins: [laterModules, lightHeaders, whatSends, parserInScope],
  })
  const chunks = Object.entries(metafile.outputs).map(([path, { imports, entryPoint }]) => ({
    name: basename(path),
    source: entryPoint,
    needs: imports.filter(({ kind }) => kind === 'import-statement').map((of) => basename(of.path)),
  }))
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const homes = homesOf([entry, ...parts], chunks)
  const files = [...texts.keys()]
    .filter((name) => (homes.get(name) ?? name) === name)
    .map(async (name) => {
      const code = homes.has(name) ? await oneOf(name, texts, homes, chunks) : await commonJsOf(texts.get(name))
      return { path: join(outdir, name), text: fromHome(code, homes) }
    })
  return Promise.all(files)
}

/** The file that each chunk goes into which a part cannot start without: that of the first such part. */
function homesOf(parts, chunks) {
  const homes = new Map()
  const move = (name, home) => {
    const chunk = chunks.find((each) => each.name === name)
    if (!chunk || homes.has(name)) return
    homes.set(name, home)
    for (const needed of chunk.needs) move(needed, home)
  }
  for (const part of parts) {
    const { name } = chunks.find(({ source }) => source?.endsWith(`src/${part}.ts`))
    move(name, name)
  }
  return homes
}

/** A part and its chunks in one scope: a file takes long to open, and V8 reads a scope within another twice. */
async function oneOf(part, texts, homes, chunks) {
  const outside = chunks.filter(({ name }) => homes.get(name) !== part).flatMap(({ needs }) => needs)
  const asked = [...new Set(outside)].filter((name) => homes.get(name) === part)
  const contents = [
    `export * from './${part}'`,
    ...asked.map((name, at) => `import * as chunk${at} from './${name}'`),
    `export const $chunks = {${asked.map((name, at) => `get "${name}"() { return chunk${at} }`)}}`,
  ].join('\n')
  const itsChunks = {
    name: 'its-chunks',
    setup(builder) {
      builder.onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path }) =>
        homes.get(basename(path)) === part ? { path, namespace: 'chunk' } : { path, external: true },
      )
      builder.onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({
        contents: texts.get(basename(path)),
        resolveDir: outdir,
      }))
    },
  }
  const stdin = { contents, resolveDir: outdir }
  const { outputFiles, warnings } = await build({ ...shared, ...commonJs, stdin, plugins: [itsChunks] })
  refuse(warnings)
  return outputFiles[0].text
}

async function commonJsOf(chunk) {
  const { code, warnings } = await transform(chunk, { ...commonJs, platform: 'node', target: 'es2022', minify: true })
  refuse(warnings)
  return code
}

/** What an ES module knows of itself would be nothing in CommonJS, and only be missed when that code runs. */
function refuse(warnings) {
  if (warnings.length > 0) throw new Error(warnings.map((warning) => warning.text).join('\n'))
}

/** Asks for the chunks that went into another file there. */
const fromHome = (code, homes) =>
  code.replace(/\brequire\("\.\/([\w-]+\.cjs)"\)/g, (whole, name) => {
    const home = homes.get(name) ?? name
    return home === name ? whole : `require("./${home}").$chunks["${name}"]`
  })

/** An entry in one file. */
async function whole(entry, plugins) {
  const options = { ...shared, ...commonJs, entryPoints: [here(`src/${entry}.ts`)] }
  const { outputFiles } = await build({ ...options, plugins: [laterModules, ...plugins] })
  return outputFiles
}

/** What a built file exports. */
function exportsOf([{ path, text }]) {
  const module = new Module(path)
  module._compile(text, path)
  return module.exports
}

const { helpTexts } = exportsOf(await whole('help-texts', []))
const chunks = await split('main', ['sender'])
const bin = await whole('bin', [ownBuildId(chunks)])
const help = { path: join(outdir, 'help.json'), text: JSON.stringify(Object.fromEntries(helpTexts())) }
const files = [...chunks, ...bin, help]
// What was built before goes when the new one is there, so that a command which starts meanwhile finds one of them.
await mkdir(outdir, { recursive: true })
for (const { path, text } of files) await writeFile(path, text)
const built = files.map(({ path }) => basename(path))
const old = (await readdir(outdir)).filter((name) => !built.includes(name))
await Promise.all(old.map((name) => rm(`${outdir}/${name}`, { recursive: true })))
