import { checkValue, count, cut, type ShapeIssue } from '@svc/text'
import { CheckError } from '../check-error.js'
import { type FileKind, type Files, parseFile, systemCode, valid } from '../files.js'
import { type CheckReport, type NamedReport, type ReportError, reportShape } from '../report/index.js'

const kind: FileKind = {
  what: 'the report',
  code: 'invalid_report',
  hint: 'give the unchanged output of `svc check` with --json or --report json=FILE',
}

/** The files that reports are read from; standard input for `-`. */
export interface ReportFiles extends Pick<Files, 'readFile'> {
  readStdin(): Promise<Uint8Array>
}

/**
 * The report in a file, or on standard input for `-`. With `mayHaveEnded` also one of a check that ended early.
 *
 * @throws {CheckError} with the place of each problem
 */
export async function readReport(
  files: ReportFiles,
  path: string,
  { mayHaveEnded = false } = {},
): Promise<CheckReport> {
  const text = textIn(await bytesOf(files, path))
  const report: CheckReport = await parseFile({ path, text }, reportChecks, () => [], kind)
  if (report.error && !mayHaveEnded) throw endedEarly(path, report.error)
  return report
}

/**
 * The reports that a program gives as values.
 *
 * @throws {CheckError} with the code `invalid_report` and the JSON pointer of each problem, unless each is `{ from, report }`
 */
export function namedReports(caller: string, given: unknown): readonly [NamedReport, ...NamedReport[]] {
  const hint = 'give { from, report } with a name and the `report` of check(), or what readReport() gives'
  const refuse = (what: string) => new CheckError('invalid_report', `${caller}: expected ${what}.`, { hint })
  if (!Array.isArray(given) || given.length === 0) throw refuse('a list of { from, report }')
  for (const [at, each] of given.entries()) {
    const { from, report } = Object(each) as Partial<NamedReport>
    if (typeof from !== 'string' || report === undefined) throw refuse(`report ${at + 1} to be { from, report }`)
    valid(
      checkValue(report, reportChecks, () => []),
      `${caller}: ${from}`,
      { ...kind, hint },
    )
  }
  return given as unknown as [NamedReport, ...NamedReport[]]
}

const reportChecks = {
  safeParse(value: unknown) {
    const issue = schemaIssue(value)
    if (issue) return { success: false as const, error: { issues: [issue] } }
    const result = reportShape.safeParse(value)
    if (!result.success) return { success: false as const, error: { issues: firstOf(result.error.issues) } }
    // The document itself keeps unknown fields and the order of names.
    return { success: true as const, data: value as typeof result.data }
  },
}

/** The transcripts of such a run are missing, so that a merged report could pass wrongly. */
export const endedEarly = (path: string, { message, details }: ReportError) =>
  new CheckError('ended_early', `${path}: the check that wrote this ended before it could judge.`, {
    details: [message, ...details],
    hint: 'run that check again',
  })

async function bytesOf(files: ReportFiles, path: string): Promise<Uint8Array> {
  if (path === '-') return files.readStdin()
  try {
    return await files.readFile(path)
  } catch (cause) {
    const code = systemCode(cause)
    const why = code === 'ENOENT' ? 'there is no such report' : `the report cannot be read (${code})`
    throw new CheckError('unreadable_file', `${path}: ${why}.`, { cause })
  }
}

/** Windows shells redirect output as UTF-16. */
const textIn = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes)

function schemaIssue(value: unknown): ShapeIssue | undefined {
  const wanted = 'expected "svc/check@2"'
  if (typeof value !== 'object' || value === null || !('schema' in value)) {
    return { code: 'no_report', path: [], message: 'expected a report, an object whose schema is "svc/check@2"' }
  }
  const { schema } = value
  if (schema === 'svc/check@2') {
    if ('cases' in value) return undefined
    return { code: 'no_cases', path: [], message: 'expected "cases"; without it this is only a part of a report' }
  }
  const message =
    schema === 'svc/error@1'
      ? `${wanted}, found "svc/error@1": the check that wrote this failed before it could judge`
      : /^svc\/check@\d+$/.test(String(schema))
        ? `${wanted}, found ${JSON.stringify(schema)}: another version of svc wrote this`
        : typeof schema === 'string'
          ? `${wanted}, found ${cut(JSON.stringify(schema), 40)}: this is not the report of a check`
          : wanted
  return { code: 'other_schema', path: ['schema'], message }
}

const maxIssues = 5

function firstOf(issues: readonly ShapeIssue[]): ShapeIssue[] {
  const first = issues.slice(0, maxIssues)
  const last = first.at(-1)
  const more = issues.length - first.length
  if (more === 0 || !last) return first
  return [...first.slice(0, -1), { ...last, message: `${last.message}; and ${count(more, 'more place')}` }]
}
