import { existsSync } from 'node:fs'
import ts from 'typescript'

/** A public name, or a member of one, with the path under which it is found: `index: SvcClient.health`. */
export interface Named {
  path: string
  symbol: ts.Symbol
}

/** The public names of a package, and their docstrings. */
export interface PublicNames {
  /** Every name that an entry exports, but those of another package, which documents them. */
  publicNames: Named[]
  /** Their members that are written in the package by hand; records of the service are described in the spec. */
  members: Named[]
  /** The docstring of a name as an editor shows it; empty if there is none. */
  docOf(name: Named): string
}

/**
 * Reads the public names of a package from its sources. `folder` is that of the sources and ends in a slash; `entries`
 * are names of files in it, without `.ts`, or of folders with an index.
 */
export function publicNamesOf(folder: string, entries: readonly string[]): PublicNames {
  const fileOf = (entry: string) => {
    const file = [`${folder}${entry}.ts`, `${folder}${entry}/index.ts`].find(existsSync)
    if (file === undefined) throw new Error(`${folder} has no entry ${entry}`)
    return file
  }
  const program = programOf(entries.map(fileOf))
  const checker = program.getTypeChecker()

  const publicNames = entries.flatMap((entry): Named[] => {
    const file = program.getSourceFile(fileOf(entry))
    const module = file && checker.getSymbolAtLocation(file)
    return (module ? checker.getExportsOfModule(module) : [])
      .map((symbol) => ({
        path: `${entry}: ${symbol.name}`,
        symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      }))
      .filter(({ symbol }) => symbol.declarations !== undefined)
  })

  const isOurs = (symbol: ts.Symbol): boolean =>
    (symbol.declarations ?? []).some((node) => {
      const { fileName } = node.getSourceFile()
      return fileName.startsWith(folder) && !fileName.includes('/generated/')
    })

  function membersOf(path: string, type: ts.Type): Named[] {
    // The union describes its members.
    if (type.isUnion()) return []
    return checker
      .getPropertiesOfType(type)
      .filter((symbol) => isOurs(symbol) && !isHidden(symbol))
      .flatMap((symbol) => {
        const member = { path: `${path}.${symbol.name}`, symbol }
        const inner = checker.getTypeOfSymbol(symbol)
        // A group of methods, such as `SvcClient.projects`.
        const isGroup =
          ((inner.symbol?.flags ?? 0) & ts.SymbolFlags.ObjectLiteral) !== 0 ||
          /\wMethods$/.test(inner.symbol?.name ?? '')
        return isGroup ? [member, ...membersOf(member.path, inner)] : [member]
      })
  }

  const members = publicNames.flatMap(({ path, symbol }) => {
    const isType = symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias)
    return membersOf(path, isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol))
  })

  const docOf = ({ symbol }: Named) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
  return { publicNames, members, docOf }
}

/** The places of the interface that a docstring names: `Limits › Surface A` of `(interface: Limits › Surface A)`. */
export const placesIn = (doc: string): string[] =>
  [...doc.matchAll(/\(interface:\s([^)]+)\)/g)].flatMap(([, all = '']) => all.split(/[;,]\s(?=[A-Z])/))

/** Matches the headings of the interface with which a place begins. */
export const sections = /^(Resources|States and transitions|Endpoints|Authentication|Errors|Limits|Versioning)\b/

/** Members that nobody outside can name: those of symbols, and `#private` ones. */
const isHidden = ({ name }: ts.Symbol): boolean => /^(__@|#)/.test(name)

function programOf(files: string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts'],
    types: [],
    strict: true,
  }
  const host = ts.createCompilerHost(options)
  // Other packages are of no interest here, and reading their types would take most of the time.
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    )
  return ts.createProgram(files, options, host)
}
