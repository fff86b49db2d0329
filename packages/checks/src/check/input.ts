import { type AnnotationRequest, checkAnnotation } from '@svc/client'
import { count } from '@svc/text'
import {
  nameFor,
  type Position,
  type Problem,
  type Transcript,
  TranscriptFileError,
  toAnnotationMessages,
} from '@svc/transcripts'
import type { AnnotationBody } from '../ask/index.js'
import { CheckError } from '../check-error.js'
import { requirePlainData } from '../plain-data.js'
import type { Conversation, Unread } from '../transcript.js'
import type { Request } from './plan.js'

/** A message of a transcript, as the service takes it (interface: Endpoints › POST /v1/annotations). */
export type Message = AnnotationRequest['transcript'][number]

/** A transcript to check. */
export interface TranscriptInput {
  /** The file or another name of its origin, as reports show it. Patterns of the policy match it. */
  path: string
  /** A transcript as `parse` of `@svc/transcripts` gives it, or the messages alone. */
  transcript: Transcript | readonly Message[]
  /** Default: its own name, else that of its path. */
  name?: string | undefined
  /** The record in the file, from 1. Default: that of the transcript, else 1. */
  record?: number | undefined
  /** The part of a transcript that was split, from 1. Default: 1. */
  part?: number | undefined
  /** The positions of its turns in the file, as `locateAll` of `@svc/transcripts` gives them: findings point there. */
  positions?: readonly (Position | undefined)[] | undefined
}

/** A file that could not be read as a transcript. It counts as not judged. */
export interface UnreadableInput {
  /** The file, as reports show it. */
  path: string
  /** The record in the file, from 1. Default: 1. */
  record?: number | undefined
  /** SHA-256 of its bytes in hex, which identify it in reports. Default: its path does. */
  sha256?: string | undefined
  /** Why it could not be read: an error of `parse`, of the file system, or any other. */
  error: unknown
}

/** A transcript to check, or a file that could not be read as one. */
export type CheckInput = TranscriptInput | UnreadableInput

/** Build a request for each transcript. `refused`: by its index, why the service would refuse it. */
export async function readInput(
  inputs: AsyncIterable<CheckInput> | Iterable<CheckInput>,
  { annotator, options }: { annotator: string; options: Record<string, unknown> | undefined },
) {
  const requests: Request[] = []
  const unread: Unread[] = []
  const refused = new Map<number, string>()
  for await (const given of inputs) {
    const input = inputOf(given, requests.length + unread.length)
    if ('error' in input) {
      unread.push(unreadOf(input, requests.length))
      continue
    }
    const { transcript } = input
    const messages = isMessages(transcript) ? [...transcript] : toAnnotationMessages(transcript)
    const body: AnnotationBody = { annotator, transcript: messages, ...(options && { options }) }
    const [violation] = checkAnnotation(body).violations
    const index = requests.length
    if (violation) refused.set(index, `${violation.pointer} ${violation.message}`)
    requests.push({ index, conversation: conversationOf(input), body })
  }
  return { requests, unread, refused }
}

/** Used as they are. */
const handles: readonly string[] = ['error', 'positions']

/** A copy of an input that a program gives. */
function inputOf(given: unknown, at: number): CheckInput {
  const input = requirePlainData(given, `check: transcripts[${at}]`, ([name = '']) => handles.includes(name))
  const { path, transcript, record, part, ...rest } = Object(input) as Partial<TranscriptInput>
  const isTranscript = Array.isArray(transcript) || Array.isArray(Object(transcript).turns)
  const isNumber = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) >= 1)
  if (typeof path !== 'string' || !(isTranscript || 'error' in rest)) {
    const expected = '{ path, transcript } with a transcript of `parse` or its messages, or { path, error }'
    throw new CheckError('invalid_option', `check: expected transcripts[${at}] to be ${expected}.`)
  }
  if (!isNumber(record) || !isNumber(part))
    throw new CheckError('invalid_option', `check: transcripts[${at}]: expected record and part from 1.`)
  return input as CheckInput
}

const isMessages = (transcript: TranscriptInput['transcript']): transcript is readonly Message[] =>
  Array.isArray(transcript)

export function conversationOf({ path, transcript, name, record, part = 1, positions }: TranscriptInput): Conversation {
  const parsed = isMessages(transcript) ? undefined : transcript
  return {
    source: { path },
    transcript: {
      losses: [],
      ...parsed,
      place: { record: record ?? parsed?.place?.record ?? 1 },
    },
    name: name ?? (parsed ? nameFor(parsed, path) : path.replace(/^.*[\\/](?=.)/s, '')),
    part,
    ...(positions && { positions }),
  }
}

const unreadOf = ({ path, record = 1, sha256, error }: UnreadableInput, after: number): Unread => ({
  path,
  record,
  sha256: sha256 ?? null,
  ...gapOf(error),
  after,
})

/** The reason in the words of `svc check`, so that the reports of both are the same. */
function gapOf(error: unknown): Pick<Unread, 'at' | 'why' | 'detail'> {
  if (error instanceof TranscriptFileError && error.problems[0]) {
    const [{ message, pointer, line, column }, ...others] = error.problems as [Problem, ...Problem[]]
    const why = error.problems.every((each) => each.code !== undefined) ? 'no transcript' : 'unreadable'
    const more = others.length > 0 ? ` (and ${count(others.length, 'more problem')})` : ''
    return { at: { line, column }, why, detail: `${pointer ? `${pointer} ` : ''}${message}${more}` }
  }
  const { code, message = String(error) } = Object(error) as NodeJS.ErrnoException
  const detail = /^E[A-Z]+$/.test(code ?? '') ? `it is not readable (${code})` : message
  return { at: undefined, why: 'unreadable', detail }
}
