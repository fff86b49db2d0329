import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Options } from 'tsup'

const root = dirname(fileURLToPath(import.meta.url))

/** The declaration of a source file, given from the current folder. The build of the package has written it with `declarations.args`. */
const declarationOf = (path: string): string =>
  join('.types', relative(root, join(process.cwd(), path)).replace(/ts$/, 'd.ts'))

/**
 * Options with which tsup bundles declarations, of `dts.entry` or else of `entry`, that are written already: if tsup compiles them
 * itself, the build takes three times as long. The types of private packages become part of them.
 */
export function withDeclarations(options: Options): Options {
  const dts = typeof options.dts === 'object' ? options.dts : {}
  const sources = Object.entries(dts.entry ?? options.entry ?? {})
  return {
    ...options,
    dts: {
      entry: Object.fromEntries(sources.map(([name, path]) => [name, declarationOf(path)])),
      compilerOptions: { paths: { '@svc/text': [declarationOf('../text/src/index.ts')] } },
    },
  }
}
