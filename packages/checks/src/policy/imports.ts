import { dirname, resolve } from 'node:path'
import type { Files } from '../files.js'

const endings = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx', '.json']
/** `./name`, `..`, or an absolute path, in quotes. */
const quoted = /(["'`])(\.{1,2}(?:\/[^"'`\n]*)?|\/[^"'`\n]*)\1/g
const importing = /\b(?:from|import|require|resolve|extends)[\s:(]*$/

/** The paths that a program imports or extends. */
function importedIn(text: string): string[] {
  return [...text.matchAll(quoted)].flatMap(({ 2: name = '', index }) => {
    const lines = text.slice(Math.max(0, index - 200), index).split('\n')
    const before = lines.map((line) => line.replace(/\/\/.*/, '')).join('\n')
    return importing.test(before.replaceAll(/\/\*[^*]*\*\//g, '')) ? [name] : []
  })
}

/** All paths that an import of a name may mean: an ending may be missing, or stand for another one. */
function candidates(path: string): string[] {
  const stem = path.replace(/\.([cm]?)js$/, '')
  const stems = [path, resolve(path, 'index'), ...(stem === path ? [] : [stem])]
  return stems.flatMap((each) => endings.map((ending) => each + ending))
}

/**
 * The local files that a program imports or extends by a path in quotes, and those that these import, with their texts by absolute
 * path. A name that is computed is not found, and neither is a package. If a name may mean several files, all count.
 */
export async function localImports(
  files: Files,
  program: { path: string; text: string },
): Promise<ReadonlyMap<string, string>> {
  const imports = new Map<string, string>()
  const open = [{ path: files.resolve(program.path), text: program.text }]
  for (let next = open.pop(); next; next = open.pop()) {
    const folder = dirname(next.path)
    for (const path of new Set(importedIn(next.text).flatMap((name) => candidates(resolve(folder, name))))) {
      if (imports.has(path) || path === program.path || !files.isThere(path)) continue
      const text = await contentOf(files, path)
      if (text === undefined) continue
      imports.set(path, text)
      if (/\.[cm]?[jt]sx?$/.test(path)) open.push({ path, text })
    }
  }
  return imports
}

const mostBytes = 1 << 24

/** Undefined for a folder; a file that cannot be read has no content that could change. */
const contentOf = (files: Files, path: string): Promise<string | undefined> =>
  files.readFile(path, { isPlain: true, maxBytes: mostBytes }).then(
    (bytes) => new TextDecoder().decode(bytes),
    ({ code }: NodeJS.ErrnoException) => (code === 'EISDIR' ? undefined : ''),
  )
