import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ParseOptions, parse, type Transcript, TranscriptFileError, type Turn } from '@svc/transcripts'
import { besideFormats } from '../../../packages/transcripts/readers.js'

/** A small file of some format, and what it is read as. */
export interface Case {
  name: string
  options: ParseOptions
  text: string
  /** The lines before what it is read as. */
  given: string
}

const cases = besideFormats('.cases.txt')

/** The file with the cases of a format, beside it, or with those of several. */
export const caseFileOf = (name: string): string =>
  cases.get(name) ?? fileURLToPath(new URL(`cases/${name}.txt`, import.meta.url))

/**
 * The cases of a file: after a line `# name of the case` its options as JSON behind `options`, the lines of the file
 * behind `>`, and all that it is read as in the words of `rendered`, which `vitest -u` writes.
 */
export function casesIn(path: string): Case[] {
  const [, ...blocks] = readFileSync(path, 'utf8').split(/^# /m)
  return blocks.map((block) => {
    const [name = '', ...lines] = block.split('\n')
    const given = lines.filter((line) => /^(options|>) /.test(line))
    const behind = (mark: string) =>
      given.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length))
    return {
      name,
      options: JSON.parse(behind('options ')[0] ?? '{}'),
      text: behind('> ').join('\n'),
      given: [`# ${name}`, ...given].join('\n'),
    }
  })
}

/**
 * The transcripts of all cases of files that are read. Those of the service are left out: they are as they were stored, even
 * where no file would be read so.
 */
export const transcriptsOfCases = (): Transcript[] =>
  [...cases]
    .filter(([format]) => format !== 'upload')
    .flatMap(([, path]) => casesIn(path))
    .flatMap(({ text, options }) => {
      try {
        return parse(text, options).transcripts
      } catch (error) {
        if (error instanceof TranscriptFileError) return []
        throw error
      }
    })

/** The file of these cases. */
export function pageOf(cases: readonly Case[]): string {
  return cases.map(({ given, text, options }) => `${given}\n${rendered(text, options)}\n`).join('')
}

/** All that a file is read as, one line for each transcript, turn and loss, or its problems. */
export function rendered(text: string, options: ParseOptions): string {
  try {
    const { transcripts, skipped } = parse(text, options)
    return [
      ...transcripts.flatMap(linesOf),
      ...skipped.map(({ line, message }) => `skipped line ${line}: ${message}`),
    ].join('\n')
  } catch (error) {
    if (error instanceof TranscriptFileError) return error.message.replaceAll(/^(.{0,200}).*/gm, 'refused $1')
    throw error
  }
}

function linesOf({ turns, losses, place, format, ...fields }: Transcript): string[] {
  return [
    `transcript ${format} ${place.record}${place.pointer} ${JSON.stringify(fields)}`,
    ...turns.map(lineOf),
    ...losses.map(({ code, what, count, why }) => `  ${code} ${count} ${what}: ${why}`),
  ]
}

function lineOf({ role, content, visible, place, callIds: _, resultIds: __, ...more }: Turn): string {
  const shown = visible ? '' : ' (hidden)'
  const beside = Object.values(more).some((value) => value !== undefined) ? ` ${JSON.stringify(more)}` : ''
  return `  ${role}${shown} ${place.record}${place.pointer} ${JSON.stringify(content)}${beside}`
}
