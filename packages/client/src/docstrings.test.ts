import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const source = fileURLToPath(new URL('.', import.meta.url))
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
const entries = ['index', 'node', 'zod']
const program = ts.createProgram(
  entries.map((name) => `${source}${name}.ts`),
  options,
  host,
)
const checker = program.getTypeChecker()

interface Named {
  path: string
  symbol: ts.Symbol
}

const publicNames = entries.flatMap((entry): Named[] => {
  const file = program.getSourceFile(`${source}${entry}.ts`)
  const module = file && checker.getSymbolAtLocation(file)
  return (module ? checker.getExportsOfModule(module) : []).map((symbol) => ({
    path: `${entry}: ${symbol.name}`,
    symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  }))
})

/** What an editor shows for a name. */
const docOf = ({ symbol }: Named): string => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()

/** Records of the service are described in the spec, from which their types are generated. */
const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some((node) => {
    const { fileName } = node.getSourceFile()
    return fileName.startsWith(source) && !fileName.includes('/generated/')
  })

function membersOf(path: string, type: ts.Type): Named[] {
  // What the members of a union are is told by the union.
  if (type.isUnion()) return []
  return checker
    .getPropertiesOfType(type)
    .filter((symbol) => isOurs(symbol) && !symbol.name.startsWith('__@'))
    .flatMap((symbol) => {
      const member = { path: `${path}.${symbol.name}`, symbol }
      const inner = checker.getTypeOfSymbol(symbol)
      // The verbs stand in object literals, which have no names of their own.
      const isGroup = ((inner.symbol?.flags ?? 0) & ts.SymbolFlags.ObjectLiteral) !== 0
      return isGroup ? [member, ...membersOf(member.path, inner)] : [member]
    })
}

const members = publicNames.flatMap(({ path, symbol }) => {
  if (path.startsWith('zod:')) return []
  const isType = symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias)
  return membersOf(path, isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol))
})

type Spec = { paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>> }
const operations = ['annotation', 'workspace'].flatMap((surface) => {
  const text = readFileSync(new URL(`../../../spec/${surface}.openapi.yaml`, import.meta.url), 'utf8')
  return Object.entries((parse(text) as Spec).paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId)
      .map(([method, { operationId: id, responses }]) => {
        const refusals = Object.keys(responses).filter((status) => Number(status) >= 300)
        return { id, endpoint: `${method.toUpperCase()} ${path}`, refusals }
      }),
  )
})

/** Their names say all that there is to say. */
const selfEvident = /^index: (\w+Error(Of)?\.name|limits\.\w+\.(min|max|warn|default))$/
const bare = (names: Named[]) =>
  names.filter((name) => docOf(name) === '' && !selfEvident.test(name.path)).map(({ path }) => path)

describe('a docstring', () => {
  it('stands at every public name', () => {
    expect(publicNames.length).toBeGreaterThan(90)
    expect(bare(publicNames)).toEqual([])
  })

  it('stands at every member of a public name', () => {
    expect(members.length).toBeGreaterThan(100)
    expect(bare(members)).toEqual([])
  })

  it.each(operations)('tells the endpoint of $id and the statuses that it declares', ({ id, endpoint, refusals }) => {
    const verb = members.find(({ path }) => path === `index: SvcClient.${id}`)
    const text = verb ? docOf(verb) : ''
    expect(text).toContain(`(interface: Endpoints › ${endpoint})`)
    const declared = /\bDeclares ([^.]*)\./.exec(text)?.[1] ?? ''
    expect(declared.match(/\b\d{3}\b/g) ?? []).toEqual(refusals)
  })

  it('names a section of the interface where it comes from one', () => {
    const sections = /^(Resources|States and transitions|Endpoints|Authentication|Errors|Limits|Versioning)\b/
    const places = [...publicNames, ...members].flatMap((name) =>
      [...docOf(name).matchAll(/\(interface: ([^)]+)\)/g)].flatMap(([, all = '']) => all.split(/[;,] (?=[A-Z])/)),
    )
    expect(places.length).toBeGreaterThan(50)
    expect(places.filter((place) => !sections.test(place))).toEqual([])
  })
})
