import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { grouped } from '../../grouped.js'
import { type Diagnostic, diagnosticLine, diagnosticsOf } from '../../input/index.js'
import { inertJson } from '../../terminal/index.js'
import type { Invalid } from './plan.js'

/** Everything that keeps transcripts from being sent. */
export interface Rejected {
  /** Unreadable input. */
  unreadable: readonly Diagnostic[]
  /** Readable transcripts that the service would refuse. */
  invalid: readonly Invalid[]
}

/** Skipped transcripts, each with all of its problems. */
export interface Reject {
  origin: object
  flaws: readonly Diagnostic[]
  json: string | undefined
}

/** How many transcripts that are: a record that cannot be read counts as one. */
export const countOf = ({ unreadable, invalid }: Rejected): number => byRecord(unreadable).size + invalid.length

const byRecord = (flaws: readonly Diagnostic[]) => grouped(flaws, ({ path, record }) => `${record ?? ''} ${path}`)

/** With the positions of all flaws, for which each source is looked through once. */
export async function rejectsOf({ unreadable, invalid }: Rejected): Promise<Reject[]> {
  const flaws = await diagnosticsOf(invalid.flatMap(({ violations }) => violations))
  let at = 0
  const refused = invalid.map(({ item, violations, json }) => {
    const own = flaws.slice(at, at + violations.length)
    at += violations.length
    return { origin: item.origin, flaws: own, json }
  })
  const unread = [...byRecord(unreadable).values()].map((own) => {
    const [{ path, record } = { path: '', record: undefined }] = own
    return { origin: { path, ...(record !== undefined && { record }) }, flaws: own, json: undefined }
  })
  return [...unread, ...refused]
}

export const linesOf = (rejects: readonly Reject[]): string[] =>
  rejects.flatMap(({ flaws }) => flaws.map(diagnosticLine))

/**
 * Writes a line for each thing that was left out: where it is, what is wrong, and the body that would have been sent,
 * which can be mended and uploaded.
 */
export async function writeRejects({ io }: Context, path: string, rejects: readonly Reject[]): Promise<void> {
  await io.writeFile(path, texts(rejects), true, { isPrivate: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause
    throw new CliError(exit.input, `${path}: cannot write the rejects (${cause.code}).`, { cause })
  })
}

function* texts(rejects: readonly Reject[]): Generator<string> {
  for (const { origin, flaws, json } of rejects) {
    const problems = flaws.map(({ at, pointer, message }) => ({ ...at, pointer, message }))
    const upload = json === undefined ? undefined : (JSON.parse(json) as object)
    yield `${inertJson({ schema: 'svc/reject@1', ...origin, problems, ...(upload && { upload }) })}\n`
  }
}
