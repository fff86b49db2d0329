import { existsSync, readdirSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { type ParseOptions, parseStream, type Transcript } from '@svc/transcripts'
import { openFile } from '@svc/transcripts/containers'

/** Folders of real transcripts, named by the environment as in PATH. The first has reference counts. */
export const folders: readonly string[] = (process.env.SVC_REAL_DATA ?? '')
  .split(delimiter)
  .filter((each) => each !== '')

/** The first of the folders; undefined where there is none. */
export const folder = folders[0]

/** For the name of a suite: why it is left out, where it is. */
export const reason = folder === undefined ? ' (skipped: SVC_REAL_DATA names no folder of real transcripts)' : ''

/** A folder beside it of products, most of which are known but not read; undefined where there is none. */
export const productsFolder =
  folder !== undefined && existsSync(join(folder, '../new')) ? join(folder, '../new') : undefined

/** Every transcript file of a folder, as a path inside it. */
export const filesIn = (root: string | undefined): readonly string[] =>
  root === undefined || !existsSync(root)
    ? []
    : readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/^(EXPECTED|SOURCES)\.md$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .sort()

export const files = filesIn(folder)

/** The format and the transcripts of a file of the folder. */
export interface ReadFile {
  format: string
  transcripts: Transcript[]
}

/** Reads a file of a folder as `svc` does; throws what makes it unreadable. */
export async function readReal(file: string, options: ParseOptions = {}, root = folder ?? ''): Promise<ReadFile> {
  const found: ReadFile = { format: '', transcripts: [] }
  for (const opened of (await openFile(join(root, file))).files) {
    const reading = parseStream(opened.chunks(), options)
    for (;;) {
      const next = await reading.next()
      if (next.done) {
        found.format = next.value.format
        break
      }
      found.transcripts.push(next.value)
    }
  }
  return found
}

/** Turns by role over all transcripts, and what is said in calls and results. */
export function countsOf(transcripts: readonly Transcript[]) {
  const turns = transcripts.flatMap((transcript) => transcript.turns)
  const of = (role: string) => turns.filter((turn) => turn.role === role)
  const kind = (wanted: string) => turns.filter(({ metadata }) => metadata?.kind === wanted).length
  return {
    turns: turns.length,
    user: of('user').length,
    assistant: of('assistant').length,
    /** Those that say something, and do not only call. */
    assistantText: of('assistant').filter(({ metadata }) => metadata?.synthetic_content !== true).length,
    tool: of('tool').length,
    system: of('system').length,
    compaction: kind('compaction'),
    injected: kind('injected'),
    developer: kind('developer'),
    calls: turns.reduce((sum, { toolCalls = [] }) => sum + toolCalls.length, 0),
    results: turns.reduce((sum, { toolResults = [] }) => sum + toolResults.length, 0),
    unmatched: turns.filter(({ metadata }) => metadata?.unmatched === true).length,
  }
}

/** A file with its name in a title: its path in the data folder, or only its last part if that is long. */
export const titled = (file: string): [title: string, file: string] => [file.length > 70 ? basename(file) : file, file]
