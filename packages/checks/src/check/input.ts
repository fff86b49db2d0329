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
import { CheckError } from '../check-error.js'
import { requirePlainData } from '../plain-data.js'
import type { CheckedTranscript } from '../rules/index.js'
import type { Conversation, Unread } from '../transcript.js'
import type { AnnotationBody } from './annotate.js'
import type { PlannedCase } from './case.js'

/** A message of a transcript, as the service takes it (interface: Endpoints › POST /v1/annotations). */
export type Message = AnnotationRequest['transcript'][number]

/** A transcript to check. */
export interface TranscriptInput {
  /** The file or another name of its origin, as reports show it. Patterns of the policy match it. */
  path: string
  /** A transcript as `parse` of `@svc/transcripts` gives it, or the messages alone. */
  transcript: Transcript | readonly Message[]
  /** The messages to send in place of those of the transcript, for example without personal data. */
  messages?: readonly Message[] | undefined
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
  /** The kind of the reason. Default: that of the error. */
  why?: Exclude<Unread['why'], 'not found'> | undefined
  /** The place in the file. Default: that of the error. */
  at?: Position | undefined
}

/** A transcript to check, or a file that could not be read as one. */
export type CheckInput = TranscriptInput | UnreadableInput

/** A request for a transcript, and why the service would refuse it. */
export interface InputRequest {
  conversation: Conversation
  body: AnnotationBody
  refusal?: string
}

export async function readInput(
  inputs: AsyncIterable<CheckInput> | Iterable<CheckInput>,
  { annotator, options }: { annotator: string; options: Record<string, unknown> | undefined },
): Promise<{ requests: InputRequest[]; unread: Unread[] }> {
  const requests: InputRequest[] = []
  const unread: Unread[] = []
  for await (const given of inputs) {
    const input = inputOf(given, requests.length + unread.length)
    if ('error' in input) {
      unread.push(unreadOf(input, requests.length))
      continue
    }
    const { transcript, messages = isMessages(transcript) ? transcript : toAnnotationMessages(transcript) } = input
    const body: AnnotationBody = { annotator, transcript: [...messages], ...(options && { options }) }
    const [violation] = checkAnnotation(body).violations
    const refusal = violation && { refusal: `${violation.pointer} ${violation.message}` }
    requests.push({ conversation: conversationOf(input), body, ...refusal })
  }
  return { requests, unread }
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
  const { turns: _, ...parsed } = isMessages(transcript) ? { turns: undefined } : transcript
  return {
    source: { path },
    transcript: {
      losses: [],
      ...parsed,
      place: { record: record ?? (isMessages(transcript) ? 1 : (transcript.place?.record ?? 1)) },
    },
    name: name ?? (isMessages(transcript) ? path.replace(/^.*[\\/](?=.)/s, '') : nameFor(transcript, path)),
    part,
    ...(positions && { positions }),
  }
}

/** A transcript as the functions of the policy see it. */
export function checkedTranscript({
  conversation: { source, transcript, name, part },
  body,
  tags,
}: PlannedCase): CheckedTranscript {
  const { modelName, language, sourceSystem, externalId, externalUserId, metadata = {} } = transcript
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    turns: body.transcript.map(({ role, content }) => ({ role, content })),
    metadata,
    modelName,
    language,
    sourceSystem,
    externalId,
    externalUserId,
    tags,
  }
}

function unreadOf({ path, record = 1, sha256, error, ...given }: UnreadableInput, after: number): Unread {
  const { why, at, detail } = gapOf(error)
  return { path, record, sha256: sha256 ?? null, at: given.at ?? at, why: given.why ?? why, detail, after }
}

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
