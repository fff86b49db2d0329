import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire, Module } from 'node:module'
import { basename } from 'node:path'
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

/** Puts the help texts in the place of their empty table, so that showing one needs no parser. */
const preparedHelp = (texts) => ({
  name: 'prepared-help',
  setup(builder) {
    builder.onLoad({ filter: /\/prepared-help\.ts$/ }, () => ({
      contents: `export const preparedHelp = () => new Map(JSON.parse(${JSON.stringify(JSON.stringify(texts))}))`,
    }))
  },
})

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
async function split(entry) {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [here(`src/${entry}.ts`)],
    format: 'esm',
    splitting: true,
    metafile: true,
    plugins: [laterModules, lightHeaders, whatSends],
  })
  const files = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const options = { ...commonJs, platform: 'node', target: 'es2022', minify: true }
      const { code, warnings } = await transform(text, options)
      // What an ES module knows of itself would be nothing, and only be missed when that code runs.
      if (warnings.length > 0) throw new Error(warnings.map((warning) => warning.text).join('\n'))
      return { path, text: code }
    }),
  )
  return together(`${entry}.cjs`, files, alwaysWith(`${entry}.cjs`, metafile))
}

/** The chunks that an entry cannot start without. */
function alwaysWith(entry, { outputs }) {
  const imports = Object.fromEntries(Object.entries(outputs).map(([path, of]) => [basename(path), of.imports]))
  const needed = new Set()
  const add = (name) => {
    for (const { path, kind } of imports[name] ?? []) {
      if (kind !== 'import-statement' || needed.has(basename(path)) || !imports[basename(path)]) continue
      needed.add(basename(path))
      add(basename(path))
    }
  }
  add(entry)
  return needed
}

/** Puts chunks into the file of their entry, because each file takes as long to open as much code to run. */
function together(entry, files, inside) {
  const name = ({ path }) => basename(path)
  const call = (text, loader) =>
    text.replace(/\brequire\("\.\/([\w-]+\.cjs)"\)/g, (whole, of) => (inside.has(of) ? `${loader}("${of}")` : whole))
  const chunks = files.filter((file) => inside.has(name(file)))
  const bodies = chunks.map((file) => `"${name(file)}"(exports,module){${call(file.text, '$chunk')}}`)
  const loader = `"use strict";const $made={},$of={${bodies.join(',')}};function $chunk(name){if(!$made[name]){const module=$made[name]={exports:{}};$of[name](module.exports,module)}return $made[name].exports}`
  return files
    .filter((file) => !inside.has(name(file)))
    .map((file) =>
      name(file) === entry
        ? { path: file.path, text: `${loader}\n${call(file.text, '$chunk')}\nmodule.exports.$chunk=$chunk` }
        : { path: file.path, text: call(file.text, `require("./${entry}").$chunk`) },
    )
}

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
const chunks = await split('main')
const bin = await whole('bin', [preparedHelp([...helpTexts()]), ownBuildId(chunks)])
const files = [...chunks, ...bin]
// What was built before goes when the new one is there, so that a command which starts meanwhile finds one of them.
await mkdir(outdir, { recursive: true })
for (const { path, text } of files) await writeFile(path, text)
const built = files.map(({ path }) => basename(path))
const old = (await readdir(outdir)).filter((name) => !built.includes(name))
await Promise.all(old.map((name) => rm(`${outdir}/${name}`, { recursive: true })))
