import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from '../../helpers/installed.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const client = join(root, 'packages/client')
const programs = fileURLToPath(new URL('programs', import.meta.url))

/** The entries of the client's package that code can import, as in `@svc/client/zod`. */
export const entries = (): string[] =>
  Object.keys(JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')).exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => join('@svc/client', entry))

const require = createRequire(import.meta.url)

/** The packages of the compilers: TypeScript 5.4, 5.9, 6.0 and 7.0. */
const compilers = {
  ts54: require.resolve('ts54/package.json'),
  typescript: require.resolve('typescript/package.json'),
  ts60: require.resolve('ts60/package.json'),
  ts7: require.resolve('ts7/package.json'),
}
export type Compiler = keyof typeof compilers

/** One way to compile: an installed compiler, a module setting and a lib. */
export interface Setting {
  compiler: Compiler
  module: 'node16' | 'nodenext' | 'esnext'
  dom: boolean
  /** True if the zod entry is compiled too; zod's own types cost a compiler more than all the rest. Default true. */
  zod?: boolean
}

export const nameOf = ({ compiler, module, dom, zod = true }: Setting): string =>
  `${compiler}, ${module}, ${dom ? 'with' : 'without'} the DOM, ${zod ? 'every entry' : 'all but the zod entry'}`

/** An application that has the packed client and `@svc/bulk` installed, with nothing of this workspace but their dependencies. */
export interface App {
  folder: string
  /** Compiles every program that fits, and gives what the compiler said. */
  compile(setting: Setting): Promise<string>
  remove(): void
}

export function createApp(): App {
  const { folder, remove } = installClient('transcripts', 'bulk')
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'))
  symlinkSync(realpathSync(join(root, 'node_modules/@types/node')), join(modules, '@types/node'))
  cpSync(programs, folder, { recursive: true })
  // The same programs again as CommonJS, which has its own declarations.
  for (const file of readdirSync(programs)) {
    const text = readFileSync(join(programs, file), 'utf8').replaceAll(".mjs'", ".cjs'")
    writeFileSync(join(folder, file.replace(/\.mts$/, '.cts')), text)
  }
  for (const entry of entries()) {
    writeFileSync(
      join(folder, `require-${basename(entry)}.cts`),
      `import it = require('${entry}')\nexport default it\n`,
    )
  }
  return { folder, compile: (setting) => compile(folder, setting), remove }
}

/** Installs the packed client, and packages that use it, into a new folder, and links its optional peers. */
export function installClient(...others: ('transcripts' | 'bulk')[]): ReturnType<typeof install> {
  const app = install(['client', ...others])
  mkdirSync(join(app.folder, 'node_modules/@opentelemetry'))
  for (const peer of ['zod', 'undici', '@opentelemetry/api'])
    symlinkSync(realpathSync(join(client, 'node_modules', peer)), join(app.folder, 'node_modules', peer))
  return app
}

function compile(folder: string, { compiler, module, dom, zod = true }: Setting): Promise<string> {
  // A bundler's resolution knows no `import x = require()`, and its output is ESM.
  const kinds = module === 'esnext' ? ['mts'] : ['mts', 'cts']
  const compilerOptions = {
    target: 'es2022',
    lib: dom ? ['es2022', 'dom', 'dom.iterable'] : ['es2022'],
    module,
    moduleResolution: module === 'esnext' ? 'bundler' : module,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const include = kinds.map((kind) => `*.${kind}`)
  const config = join(folder, `${compiler}-${module}-${dom ? 'dom' : 'plain'}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, include, exclude: zod ? [] : ['*zod.*'] }))
  const tsc = join(dirname(compilers[compiler]), 'bin/tsc')
  return new Promise((done) => {
    execFile(process.execPath, [tsc, '--pretty', 'false', '-p', config], { cwd: folder }, (error, stdout, stderr) =>
      done(error ? `${stdout}${stderr}` || String(error) : stdout),
    )
  })
}

/** The program of an entry is named for it: `client.mts`, `node.mts`, `zod.mts`. */
export const programOf = (entry: string): string => `${basename(entry)}.mts`
