import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  defineFormat,
  defineTextFormat,
  type Format,
  type FormatDeclaration,
  type ReaderContext,
  type TextFormat,
} from '@svc/transcripts'
import { InputProblem } from './input-problem.js'

/** A program of `--importer` that cannot be used. No file is read after it. */
export class BrokenImporter extends InputProblem {
  constructor(path: string, what: string, cause: unknown, advice: { hint: string; next?: readonly string[] }) {
    super('unreadable', `${path}: the importer ${what}: ${messageOf(cause)}.`, { cause, ...advice })
  }
}

/**
 * The formats that programs export as their default: one, or a list. A program that is named runs with the rights of the
 * command.
 */
export async function formatsIn(paths: readonly string[], resolve: (path: string) => string): Promise<Format[]> {
  const formats: Format[] = []
  for (const path of paths) {
    try {
      const { default: exported } = await import(/* @vite-ignore */ pathToFileURL(resolve(path)).href)
      if (exported === undefined) throw new TypeError('it has no default export')
      formats.push(...[exported].flat().map((each) => withProblems(checkedFormat(each), path)))
    } catch (cause) {
      const hint =
        'export a format as the default: the value of defineFormat or defineTextFormat of @svc/transcripts, or its argument'
      throw new BrokenImporter(path, 'cannot be loaded', cause, lacksLibrary(resolve(path), cause) ? install : { hint })
    }
  }
  return formats
}

const library = '@svc/transcripts'
const install = {
  hint: `install what it imports, such as by npm install ${library}`,
  next: ['npm', 'install', library],
}

/** True if an import failed because a module is not there, and no folder above the program has the library. */
function lacksLibrary(path: string, cause: unknown): boolean {
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== 'ERR_MODULE_NOT_FOUND') return false
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', library))) return false
    if (folder === dirname(folder)) return true
  }
}

/** The format, or the one that its declaration defines. */
function checkedFormat(exported: unknown): Format {
  if (typeof exported !== 'object' || exported === null) throw new TypeError('its default export is not a format')
  if ('fields' in exported) return exported as Format
  return 'detect' in exported ? defineTextFormat(exported as TextFormat) : defineFormat(exported as FormatDeclaration)
}

/** The format, whose errors are problems of the record that it reads, or else of the program. */
function withProblems(format: Format, path: string): Format {
  const guarded = <Value>(name: 'detect' | 'reader', call: () => Value): Value => {
    try {
      return call()
    } catch (cause) {
      throw new BrokenImporter(path, 'failed', cause, { hint: `correct its function ${name}` })
    }
  }
  return {
    ...format,
    detect: (value) => guarded('detect', () => format.detect(value)),
    reader: (context) => guarded('reader', () => readerWithProblems(format, context)),
  }
}

function readerWithProblems(format: Format, context: ReaderContext): ReturnType<Format['reader']> {
  const reader = format.reader(context)
  let place = { record: 1, offset: 0, pointer: '' }
  const report = (error: unknown) => context.report(`the importer ${format.id} failed: ${messageOf(error)}`, place)
  return {
    ...(reader.maps && { maps: reader.maps }),
    ...(reader.broken && { broken: (message, at) => reader.broken?.(message, at) }),
    read(record) {
      const { record: number, offset, pointer = '', member } = record
      place = { record: number, offset, pointer, ...(member !== undefined && { member }) }
      try {
        return reader.read(record)
      } catch (error) {
        report(error)
        return []
      }
    },
    *end() {
      try {
        yield* reader.end()
      } catch (error) {
        report(error)
      }
    },
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
