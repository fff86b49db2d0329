import { PositionsIn, syntaxError } from '../json/index.js'
import type { Loss } from './turn.js'

/** The conversations that are not read because of a problem. */
export interface UnreadConversations {
  /** How many they are. */
  count: number
  /** Their ids in the file, of the first twenty that have one. */
  ids: string[]
  /** The numbers of their records, as in a `Place`, in the order of the file. */
  records: number[]
  /** True if the conversation was given before this problem was found: a record of it comes too late. */
  isGiven?: true
}

/** A problem of a file, or of a conversation in it: what was expected, what was found, and where. */
export interface Problem {
  /** The expected and the found content, and usually the next step. */
  message: string
  /**
   * The reason why a readable file holds no conversation: `only_subagents` for a log whose conversations all belong to
   * sub-agents (see the option `subagents`), `nothing_said` for a log without a turn of a user or an assistant,
   * `unknown_format` for JSON or a table of no known format, `unsupported_product` for JSON of a product that is known but
   * not read, `empty_file` for a file without records.
   */
  code?: 'only_subagents' | 'nothing_said' | 'unknown_format' | 'unsupported_product' | 'empty_file'
  /** The product, or the kind of file, that is known but not read, such as `a Kimi session`. */
  product?: string
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
  /** The losses of a transcript that was skipped, if it has any. */
  losses?: readonly Loss[]
  /** The conversations that it costs; problems of the same ones share the object. Default: the one of its record. */
  conversations?: UnreadConversations
  /** True if it may hide more conversations than these: nothing after it was read, or not each record around it. */
  hidesMore?: true
}

/** Problems of one file that cost the same conversations, or that are of one record; in the order of the first ones. */
export function byConversation<P extends Pick<Problem, 'record' | 'member' | 'conversations'>>(
  problems: readonly P[],
): [P, ...P[]][] {
  const groups = new Map<unknown, [P, ...P[]]>()
  for (const problem of problems) {
    const { record, member, conversations } = problem
    const key = conversations ?? `${record} ${member}`
    const group = groups.get(key)
    if (group) group.push(problem)
    else groups.set(key, [problem])
  }
  return [...groups.values()]
}

/** A transcript that is not read because of problems of its file. */
export interface UnreadTranscript<P = Problem> {
  /** The number of its record, from 1. */
  record: number
  /** Its number among the transcripts that the same problems cost, from 1. */
  part: number
  /** `no transcript`: the file can be read and holds none. `incomplete`: the file may hold more transcripts than these. */
  why: 'no transcript' | 'unreadable' | 'incomplete'
  /** The first three problems and the number of the others. */
  detail: string
  /** The problems that cost it, in the order of the file. */
  problems: readonly [P, ...P[]]
}

/** The problems that the detail of an unread transcript tells. */
const mostInDetail = 3

/** The transcripts that the problems of a file cost. `given`: the number of transcripts that were read from it. */
export function unreadTranscripts<P extends Problem>(problems: readonly P[], given = 0): UnreadTranscript<P>[] {
  const [first, ...rest] = problems
  if (!first) return []
  const isIntact = problems.every(({ code }) => code !== undefined)
  const isOne = given === 0 && problems.every(({ conversations }) => conversations === undefined)
  const groups: [P, ...P[]][] = isOne ? [[first, ...rest]] : byConversation(problems)
  return groups.flatMap((group) => {
    const [{ record = given + 1, conversations }] = group
    const shown = group
      .slice(0, mostInDetail)
      .map(({ pointer, message }) => `${pointer ? `${pointer} ` : ''}${message}`)
    const others = group.length - shown.length
    const more = others > 0 ? ` (and ${others} more problem${others === 1 ? '' : 's'})` : ''
    const isIncomplete = group.some(({ hidesMore }) => hidesMore)
    const unread: Omit<UnreadTranscript<P>, 'part'> = {
      record: isOne ? 1 : record,
      why: isIntact ? 'no transcript' : isIncomplete ? 'incomplete' : 'unreadable',
      detail: `${shown.join('; ')}${more}`,
      problems: group,
    }
    return Array.from({ length: conversations?.count ?? 1 }, (_, at) => ({ ...unread, part: at + 1 }))
  })
}

/** A file cannot be read as transcripts. Holds all its problems. */
export class TranscriptFileError extends Error {
  override readonly name = 'TranscriptFileError'
  /** All problems, in the order of the file. The message shows the first 20. */
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(summary(problems))
    this.problems = problems
  }
}

const maxShown = 20

function summary(problems: readonly Problem[]): string {
  const lines = problems.slice(0, maxShown).map((problem) => {
    const pointer = problem.pointer === undefined ? '' : ` (${problem.pointer})`
    const member = problem.member === undefined ? '' : `${problem.member}, `
    return `${member}line ${problem.line}, column ${problem.column}${pointer}: ${problem.message}`
  })
  if (problems.length > maxShown) lines.push(`and ${problems.length - maxShown} more problems`)
  return lines.join('\n')
}

/** The first error in a text that should be one JSON document; undefined if there is none. */
export function jsonProblem(text: string): Problem | undefined {
  const error = syntaxError(text)
  return error && { message: error.message, ...new PositionsIn(text).at(error.offset) }
}
