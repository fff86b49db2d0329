import { type Problem, TranscriptFileError } from '@svc/transcripts'
import type { Source } from './sources.js'
import { count, firstOf } from './text.js'

type Code = NonNullable<Problem['code']>

/** A file that nobody named and that holds no talk, and why. */
export interface LeftOut {
  source: Source
  error: TranscriptFileError
  code: Code
  /** It is one of ours. */
  isOwn: boolean
}

/** Why a file holds no talk although nothing in it is broken; undefined for any other error. */
export function noTalkIn(error: unknown): Code | undefined {
  if (!(error instanceof TranscriptFileError)) return undefined
  const codes = error.problems.map(({ code }) => code)
  return codes.includes(undefined) ? undefined : codes[0]
}

const inWords: Record<Code, (files: string, paths: string) => string> = {
  only_subagents: (files) => `${files} with talks of sub-agents alone left out; --subagents takes them`,
  nothing_said: (files) => `${files} in which nobody says anything left out`,
  unknown_format: (files, paths) => `${files} of no known format left out: ${paths}`,
  empty_file: (files, paths) => `${files} without content left out: ${paths}`,
}

/** A line for each reason. */
export function notesOn(leftOut: readonly LeftOut[]): string[] {
  return (Object.keys(inWords) as Code[]).flatMap((code) => {
    const paths = leftOut.filter((each) => each.code === code).map(({ source }) => source.path)
    return paths.length === 0 ? [] : [inWords[code](count(paths.length, 'file'), firstOf(paths))]
  })
}

/**
 * Whether a file is one of ours: settings, a policy, or a document that says so itself, such as a report, a baseline or a
 * cache. These lie about in the folders that are read, and there is nothing to say of them.
 */
export async function isOwn({ path, chunks }: Source): Promise<boolean> {
  if (/(^|[/\\])svc\.(checks|config)\.json$/.test(path)) return true
  for await (const chunk of chunks()) {
    if (typeof chunk === 'object' && 'member' in chunk) continue
    return ownStart.test(typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk.subarray(0, 300)))
  }
  return false
}

const ownStart = /^\s*\{\s*("schema":\s*"svc\/|"\$schema":\s*"[^"]*\bsvc\.checks\.schema\.json")/
