import { createHash } from 'node:crypto'
import { escapeJson, grouped } from '@svc/text'
import { recordTexts } from '@svc/transcripts'
import { ContainerError } from '@svc/transcripts/containers'
import { jsonOr } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { type Diagnostic, diagnosticsOf, type Input, problemsTogether, type Source } from '../../input/index.js'
import type { Invalid } from './item.js'

export interface Rejected {
  unreadable: readonly Diagnostic[]
  /** Readable transcripts that the service would refuse. */
  invalid: readonly Invalid[]
}

type Reject = Awaited<ReturnType<typeof rejectsOf>>[number]

/** How many transcripts that are: a record that cannot be read counts as one, unless the file shows how many it costs. */
export const countOf = ({ unreadable, invalid }: Rejected): number =>
  problemsTogether(unreadable).reduce((sum, [{ conversations }]) => sum + (conversations?.count ?? 1), invalid.length)

/** The rejects with the positions of all flaws. Each source is read once for them. */
export async function rejectsOf({ unreadable, invalid }: Rejected) {
  const flaws = await diagnosticsOf(invalid.flatMap(({ violations }) => violations))
  let at = 0
  const refused = invalid.map(({ item, violations, json }) => {
    const flawsOfItem = flaws.slice(at, at + violations.length)
    at += violations.length
    const { path, record, name } = item
    return { origin: { path, record, name }, flaws: flawsOfItem, json, records: [], isOfFile: false }
  })
  const unread = problemsTogether(unreadable).map((problems) => {
    const [{ path, record, conversations, isOfFile = false }] = problems
    const ids = conversations && conversations.ids.length > 0 && { ids: conversations.ids }
    return {
      origin: { path, ...(record !== undefined && { record }), ...ids },
      flaws: problems,
      json: undefined,
      // The other rows of a conversation that was given are not to be sent again without this one.
      records: conversations?.isGiven ? [] : (conversations?.records ?? [record ?? 1]),
      isOfFile,
    }
  })
  return [...unread, ...refused]
}

/** Texts of records: the one that was not read, or all rows of its conversation. */
interface Texts {
  texts?: readonly string[]
}

/** Add the texts of the records that could not be read, and read each source once for them. */
async function withTexts(rejects: readonly Reject[], csvEscape: string | undefined): Promise<(Reject & Texts)[]> {
  const sourceOf = ({ flaws: [first] }: Reject) => first?.source
  const textsBySource = new Map<Source, Map<number, string>>()
  for (const [source, of] of grouped(rejects, sourceOf)) {
    const wanted = new Set(of.flatMap(({ records, isOfFile }) => (isOfFile ? [...records, 2] : records)))
    if (!source || wanted.size === 0) continue
    // A stream that cannot be read again has no texts any more.
    const texts = await recordTexts(source.chunks(), wanted, csvEscape).catch((error: unknown) => {
      if (error instanceof ContainerError) return undefined
      throw error
    })
    if (texts) textsBySource.set(source, texts)
  }
  return rejects.map((reject) => {
    const source = sourceOf(reject)
    const texts = source && textsBySource.get(source)
    if (!texts || reject.records.every((record) => !texts.has(record))) return reject
    // The first record of several would be a fragment.
    if (reject.isOfFile && texts.has(2)) return reject
    const header = texts.get(0)
    const rows = reject.records.map((record) => texts.get(record) ?? `(write the row of line ${record} here)`)
    const all = header === undefined ? rows : [header, ...rows]
    return all.some((text) => text.includes(notUtf8)) ? reject : { ...reject, texts: all }
  })
}

/** Stands for bytes that are no text. Sent again, the content would be damaged, although nothing in it is refused. */
const notUtf8 = '\ufffd'

export const flawsOf = (rejects: readonly Reject[]): Diagnostic[] => rejects.flatMap(({ flaws }) => flaws)

/**
 * Write a line for each skipped transcript: where it is, what is wrong, and the content to correct: the body that would have
 * been sent, else the record as it is, or all rows of its conversation, each as a value if it is JSON.
 * `svc upload --retry-rejects` uploads the corrected lines. Those of an earlier run, which may be corrected, are kept beside them.
 */
export async function writeRejects(
  { io, say }: Context,
  { rejects: path, csvEscape }: { rejects: string; csvEscape?: string },
  rejects: readonly Reject[],
): Promise<void> {
  const all = await withTexts(rejects, csvEscape)
  const write = (to: string, parts: Iterable<string>) =>
    io.writeFile(to, parts, true, { isPrivate: true }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === undefined) throw cause
      throw new CliError(exit.input, `${to}: cannot write the rejects (${cause.code}).`, { cause })
    })
  const isFile = (await io.kindOf(path).catch(() => undefined)) === 'file'
  const before = isFile ? new TextDecoder().decode(await io.readFile(path, { isPlain: true })) : ''
  if (before !== '' && digestOf([before]) !== digestOf(linesOf(all))) {
    await write(earlierRejects(path), [before])
    say(`note: the rejects of an earlier run are kept in ${earlierRejects(path)}`)
  }
  await write(path, linesOf(all))
}

/** The file of the rejects of the run before. */
export const earlierRejects = (path: string): string => `${path}.before`

/** The hash of rejects, without the random part of their stamps. */
function digestOf(parts: Iterable<string>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part.replaceAll(/"write":"[0-9a-f]{32}"/g, ''))
  return hash.digest('hex')
}

function* linesOf(rejects: readonly (Reject & Texts)[]): Generator<string> {
  for (const { origin, flaws, json, texts } of rejects) {
    const problems = flaws.map(({ at, pointer, message }) => ({ ...at, pointer, message }))
    const content = json === undefined ? contentOfTexts(texts) : { upload: JSON.parse(json) as object }
    yield `${escapeJson({ schema: 'svc/reject@1', ...origin, problems, ...content })}\n`
  }
}

function contentOfTexts(texts: readonly string[] | undefined) {
  if (texts === undefined) return {}
  const values = texts.map((text) => jsonOr(text, undefined) as unknown)
  const [first = ''] = texts
  if (texts.length > 1) return { rows: texts.map((text, at) => values[at] ?? text) }
  return values[0] === undefined ? { text: first } : { value: values[0] }
}

/** The corrected records of files of rejects, each as a file of its own, because each may have another format. */
export const retriedInput = (input: Input): Input => ({ ...input, sources: retried(input.sources) })

async function* retried(files: AsyncIterable<Source>): AsyncGenerator<Source, void, undefined> {
  for await (const file of files) {
    const lines = (await sourceText(file)).split('\n')
    for (const [at, line] of lines.entries()) {
      if (line.trim() === '') continue
      const path = `${file.path} line ${at + 1}`
      const { text, origin } = contentOf(line, path)
      yield { ...file, path, chunks: () => [text], ...(origin !== undefined && { origin }) }
    }
  }
}

async function sourceText(file: Source): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of file.chunks()) {
    if (typeof chunk === 'string') text += chunk
    else if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** The text of a line of rejects, and the file that it is from. */
function contentOf(line: string, path: string): { text: string; origin: string | undefined } {
  const reject = (jsonOr(line, undefined) ?? {}) as Record<
    'schema' | 'path' | 'upload' | 'value' | 'text' | 'rows',
    unknown
  >
  const isReject = reject.schema === 'svc/reject@1'
  const text = isReject ? textOf(reject) : undefined
  if (text !== undefined) return { text, origin: typeof reject.path === 'string' ? reject.path : undefined }
  const what = isReject ? 'has no upload, value, text or rows to send' : 'is not a line of --rejects'
  throw new CliError(exit.input, `${path} ${what}; nothing was sent.`, {
    hint: isReject
      ? `correct ${typeof reject.path === 'string' ? reject.path : 'the file'} itself, or map it, and upload it; remove this line`
      : 'give the file of --rejects, with the problems corrected; remove lines that you do not want to send',
  })
}

function textOf({
  upload,
  value,
  text,
  rows,
}: Record<'upload' | 'value' | 'text' | 'rows', unknown>): string | undefined {
  const body = upload ?? value
  if (typeof body === 'object') return JSON.stringify(body)
  if (typeof text === 'string') return text
  if (!Array.isArray(rows)) return undefined
  return rows.map((row: unknown) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')
}
