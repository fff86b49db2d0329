import { pathToFileURL } from 'node:url'
import { defineFormat, defineTextFormat, type Format, type FormatDeclaration, type TextFormat } from '@svc/transcripts'
import { InputProblem } from './input-problem.js'

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
      const found: (Format | FormatDeclaration | TextFormat)[] = [exported].flat()
      formats.push(...found.map(formatOf).map(withProblems))
    } catch (cause) {
      throw new InputProblem('unreadable', `${path}: the importer cannot be loaded: ${messageOf(cause)}.`, {
        cause,
        hint: 'export a format as the default: the value of defineFormat or defineTextFormat of @svc/transcripts, or its argument',
      })
    }
  }
  return formats
}

function formatOf(exported: Format | FormatDeclaration | TextFormat): Format {
  if ('fields' in exported) return exported
  return 'detect' in exported ? defineTextFormat(exported) : defineFormat(exported)
}

/** The format, whose errors are problems of the record that it reads. */
function withProblems(format: Format): Format {
  return {
    ...format,
    reader(notes) {
      const reader = format.reader(notes)
      return {
        ...(reader.broken && { broken: (message, place) => reader.broken?.(message, place) }),
        read(record) {
          try {
            return reader.read(record)
          } catch (error) {
            const { record: number, offset, pointer = '', member } = record
            const place = { record: number, offset, pointer, ...(member !== undefined && { member }) }
            notes.report(`the importer ${format.id} failed: ${messageOf(error)}`, place)
            return []
          }
        },
        end: () => reader.end(),
      }
    },
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
