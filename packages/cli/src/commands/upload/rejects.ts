import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { type Flaw, flawLine, flawsOf, type Violated } from '../../positions.js'
import { inertJson } from '../../text.js'
import type { Ready } from './item.js'

/** Everything that keeps transcripts from being sent. */
export interface Rejected {
  /** What could not be read. */
  unreadable: readonly Flaw[]
  /** What was read, and would be refused. */
  violations: readonly Violated[]
  invalid: readonly Ready[]
}

export const rejectedLines = async ({ unreadable, violations }: Rejected): Promise<string[]> =>
  [...unreadable, ...(await flawsOf(violations))].map(flawLine)

/**
 * Writes a line for each thing that was left out: where it is, what is wrong, and the body that would have been sent,
 * which can be mended and uploaded.
 */
export async function writeRejects({ io }: Context, path: string, rejected: Rejected): Promise<void> {
  const flaws = await flawsOf(rejected.violations)
  const lines = [
    ...rejected.unreadable.map((flaw) => ({ schema: 'svc/reject@1', path: flaw.path, problems: [told(flaw)] })),
    ...rejected.invalid.map(({ item, json }) => {
      const own = flaws.filter((_, at) => isOf(rejected.violations[at], item))
      return { schema: 'svc/reject@1', ...item.origin, problems: own.map(told), upload: JSON.parse(json) as object }
    }),
  ]
  await io.writeFile(path, linesOf(lines), true).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause
    throw new CliError(exit.input, `${path}: the rejects cannot be written (${cause.code}); nothing was sent.`, {
      cause,
    })
  })
}

const isOf = (violated: Violated | undefined, { source, origin }: Ready['item']) =>
  violated?.source === source && violated.record === origin.record

const told = ({ at, pointer, message }: Flaw) => ({ ...at, pointer, message })

function* linesOf(values: readonly object[]): Generator<string> {
  for (const value of values) yield `${inertJson(value)}\n`
}
