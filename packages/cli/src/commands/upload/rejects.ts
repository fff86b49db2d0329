import { escapeJson, grouped } from '@svc/text'
import { recordTexts } from '@svc/transcripts'
import { ContainerError } from '@svc/transcripts/containers'
import { jsonOr } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { type Diagnostic, diagnosticsOf, type Input, type Source } from '../../input/index.js'
import type { Invalid } from './item.js'

export interface Rejected {
  unreadable: readonly Diagnostic[]
  /** Readable transcripts that the service would refuse. */
  invalid: readonly Invalid[]
}

type Reject = Awaited<ReturnType<typeof rejectsOf>>[number]

/** How many transcripts that are: a record that cannot be read counts as one. */
export const countOf = ({ unreadable, invalid }: Rejected): number => byRecord(unreadable).size + invalid.length

const byRecord = (flaws: readonly Diagnostic[]) => grouped(flaws, ({ path, record }) => `${record ?? ''} ${path}`)

/** With the positions of all flaws, for which each source is looked through once. */
export async function rejectsOf({ unreadable, invalid }: Rejected) {
  const flaws = await diagnosticsOf(invalid.flatMap(({ violations }) => violations))
  let at = 0
  const refused = invalid.map(({ item, violations, json }) => {
    const own = flaws.slice(at, at + violations.length)
    at += violations.length
    const { path, record, name } = item
    return { origin: { path, record, name }, flaws: own, json }
  })
  const unread = [...byRecord(unreadable).values()].map((own) => {
    const [{ path, record } = { path: '', record: undefined }] = own
    return { origin: { path, ...(record !== undefined && { record }) }, flaws: own, json: undefined }
  })
  return [...unread, ...refused]
}

/** Add the text of each record that could not be read, for which each source is looked through once. */
async function withTexts(rejects: readonly Reject[]): Promise<(Reject & { text?: string | undefined })[]> {
  const sourceOf = ({ flaws: [first] }: Reject) => first?.source
  const numberOf = ({ flaws: [first] }: Reject) => first?.record ?? 1
  const texts = new Map<Source, Map<number, string>>()
  for (const [source, of] of grouped(rejects, sourceOf)) {
    if (!source) continue
    // A stream that cannot be read again has no texts any more.
    const found = await recordTexts(source.chunks(), new Set(of.map(numberOf))).catch((error: unknown) => {
      if (error instanceof ContainerError) return undefined
      throw error
    })
    if (found) texts.set(source, found)
  }
  return rejects.map((reject) => {
    const source = sourceOf(reject)
    return { ...reject, text: source && texts.get(source)?.get(numberOf(reject)) }
  })
}

export const flawsOf = (rejects: readonly Reject[]): Diagnostic[] => rejects.flatMap(({ flaws }) => flaws)

/**
 * Write a line for each skipped transcript: where it is, what is wrong, and the content to correct: the body that would have
 * been sent, else the record as it is, as a value if it is JSON. `svc upload --retry-rejects` uploads the corrected lines.
 */
export async function writeRejects({ io }: Context, path: string, rejects: readonly Reject[]): Promise<void> {
  const all = await withTexts(rejects)
  await io.writeFile(path, texts(all), true, { isPrivate: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause
    throw new CliError(exit.input, `${path}: cannot write the rejects (${cause.code}).`, { cause })
  })
}

function* texts(rejects: readonly (Reject & { text?: string | undefined })[]): Generator<string> {
  for (const { origin, flaws, json, text } of rejects) {
    const problems = flaws.map(({ at, pointer, message }) => ({ ...at, pointer, message }))
    const value = text === undefined ? undefined : jsonOr(text, undefined)
    const content = {
      ...(json !== undefined && { upload: JSON.parse(json) as object }),
      ...(json === undefined && (value === undefined ? text !== undefined && { text } : { value })),
    }
    yield `${escapeJson({ schema: 'svc/reject@1', ...origin, problems, ...content })}\n`
  }
}

/** The corrected records of files of rejects, each as a file of its own, because each may have another format. */
export const retriedInput = (input: Input): Input => ({ ...input, sources: retried(input.sources) })

async function* retried(files: AsyncIterable<Source>): AsyncGenerator<Source, void, undefined> {
  for await (const file of files) {
    const lines = (await sourceText(file)).split('\n')
    for (const [at, line] of lines.entries()) {
      if (line.trim() === '') continue
      const path = `${file.path} line ${at + 1}`
      const text = contentOf(line, path)
      yield { ...file, path, chunks: () => [text] }
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

function contentOf(line: string, path: string): string {
  const reject = jsonOr(line, undefined) as {
    schema?: unknown
    upload?: unknown
    value?: unknown
    text?: unknown
  } | null
  const { schema, upload, value, text } = reject ?? {}
  const body = upload ?? value
  if (schema === 'svc/reject@1' && typeof body === 'object') return JSON.stringify(body)
  if (schema === 'svc/reject@1' && typeof text === 'string') return text
  const what = schema === 'svc/reject@1' ? 'has no upload, value or text to send' : 'is not a line of --rejects'
  throw new CliError(exit.input, `${path} ${what}; nothing was sent.`, {
    hint: 'give the file of --rejects, with the problems corrected; remove lines that you do not want to send',
  })
}
