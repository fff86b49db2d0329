import { join } from 'node:path'
import ts from 'typescript'

/** The help of an editor in a program: the tooltip of a name, and the suggestions at a cursor. */
export interface Editor {
  /** The tooltip where `|` stands, as in `const trans|cript`: the type, then the sentence about it. */
  hover(place: string): string
  /** The names that the editor offers where `|` stands, as in `svc.|transcripts`. */
  completions(place: string): string[]
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  noEmit: true,
}

/** Members and literals; the names in scope are offered everywhere. */
const offered = new Set<string>([
  ts.ScriptElementKind.memberVariableElement,
  ts.ScriptElementKind.memberGetAccessorElement,
  ts.ScriptElementKind.memberFunctionElement,
  ts.ScriptElementKind.string,
])

/** Opens a file of a folder as an editor does: with the language service of TypeScript. */
export function openInEditor(folder: string, name: string): Editor {
  const file = join(folder, name)
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const text = ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  })
  const text = ts.sys.readFile(file) ?? ''
  const positionOf = (place: string): number => {
    const [before = '', after = ''] = place.split('|')
    const at = text.indexOf(before + after)
    if (at < 0) throw new Error(`The program has no ${before}${after}.`)
    return at + before.length
  }
  return {
    hover(place) {
      const info = service.getQuickInfoAtPosition(file, positionOf(place))
      return `${ts.displayPartsToString(info?.displayParts)}\n${ts.displayPartsToString(info?.documentation)}`.trimEnd()
    },
    completions(place) {
      const found = service.getCompletionsAtPosition(file, positionOf(place), {})?.entries ?? []
      return found.filter(({ kind }) => offered.has(kind)).map(({ name }) => name)
    },
  }
}
