/** One thing that makes a file unusable: what was expected, what came, and where. */
export interface Problem {
  /** The expectation, the finding, and mostly the next step. */
  message: string
  /**
   * Why a file that may be sound holds no talk: `only_subagents` for a log with only those of sub-agents, which the
   * option `subagents` takes, `nothing_said` for one in which nobody speaks, `unknown_format` for JSON or a table that
   * no format knows, `empty_file` for a file without any record.
   */
  code?: 'only_subagents' | 'nothing_said' | 'unknown_format' | 'empty_file'
  /** 1-based. */
  line: number
  /** 1-based, in UTF-16 code units. */
  column: number
  /** The record, as in a `Place`. */
  record?: number
  /** JSON pointer inside the record. */
  pointer?: string
  /** The file inside an archive. */
  member?: string
}

/** A file that cannot be read as transcripts, with all its problems. */
export class TranscriptFileError extends Error {
  override readonly name = 'TranscriptFileError'
  /** Every problem, in the order of the file. The message shows the first 20. */
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(summary(problems))
    this.problems = problems
  }
}

const shown = 20

function summary(problems: readonly Problem[]): string {
  const lines = problems.slice(0, shown).map((problem) => {
    const pointer = problem.pointer === undefined ? '' : ` (${problem.pointer})`
    const member = problem.member === undefined ? '' : `${problem.member}, `
    return `${member}line ${problem.line}, column ${problem.column}${pointer}: ${problem.message}`
  })
  if (problems.length > shown) lines.push(`and ${problems.length - shown} more problems`)
  return lines.join('\n')
}
