import { type AnnotationRequest, checkAnnotation } from '@svc/client'
import {
  nameFor,
  type Position,
  type Transcript,
  TranscriptFileError,
  toAnnotationMessages,
  unreadTranscripts,
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
  /** Transcripts of one cluster, such as those of one scenario, count as one in a comparison. Default: the field `cluster` of the policy. */
  cluster?: string | undefined
  /** The positions of its turns in the file, as `locateAll` of `@svc/transcripts` gives them: findings point there. */
  positions?: readonly (Position | undefined)[] | undefined
}

/** A file that could not be read as a transcript. It counts as not judged, and so does each transcript that an error of `parse` costs. */
export interface UnreadableInput {
  /** The file, as reports show it. */
  path: string
  /** The record in the file, from 1. Default: that of the error, else 1. */
  record?: number | undefined
  /** The first of the transcripts that the error costs, from 1. Default: 1. */
  part?: number | undefined
  /** SHA-256 of its bytes in hex, which identify it in reports. Default: its path does. */
  sha256?: string | undefined
  /** Why it could not be read: an error of `parse`, of the file system, or any other. */
  error: unknown
  /** A further run may read it. Default: false. */
  temporary?: boolean | undefined
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
  const readFrom = new Map<string, number>()
  /** Paths and ids of conversations of which a row came too late: they lack it, and are not judged. */
  const late = new Set<string>()
  let at = 0
  for await (const given of inputs) {
    const input = inputOf(given, at++)
    if ('error' in input) {
      for (const id of lateIn(input.error)) late.add(`${input.path}\n${id}`)
      unread.push(...unreadOf(input, { given: readFrom.get(input.path) ?? 0, after: requests.length }))
      continue
    }
    const { transcript, messages = isMessages(transcript) ? transcript : toAnnotationMessages(transcript) } = input
    const body: AnnotationBody = { annotator, transcript: [...messages], ...(options && { options }) }
    const [violation] = checkAnnotation(body).violations
    const refusal = violation && { refusal: `${violation.pointer} ${violation.message}` }
    requests.push({ conversation: conversationOf(input), body, ...refusal })
    readFrom.set(input.path, (readFrom.get(input.path) ?? 0) + 1)
  }
  const isWhole = ({ conversation: { source, transcript } }: InputRequest) =>
    !late.has(`${source.path}\n${transcript.externalId}`)
  return { requests: requests.filter(isWhole), unread }
}

/** The ids of the conversations that were given before a row of them came. */
const lateIn = (error: unknown): string[] =>
  error instanceof TranscriptFileError
    ? error.problems.flatMap(({ conversations }) => (conversations?.isGiven ? conversations.ids : []))
    : []

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

export function conversationOf({
  path,
  transcript,
  name,
  record,
  part = 1,
  cluster,
  positions,
}: TranscriptInput): Conversation {
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
    ...(cluster !== undefined && { cluster }),
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

/** `given`: the number of transcripts that were read from the file; `after`: of those that were read from all files. */
function unreadOf(
  { path, sha256, part: first = 1, error, ...input }: UnreadableInput,
  { given, after }: { given: number; after: number },
): Unread[] {
  return gapsOf(error, given).map(({ record, part, at, why, detail }) => ({
    ...{ path, sha256: sha256 ?? null, record: input.record ?? record, part: first + part - 1 },
    ...{ at: input.at ?? at, why: input.why ?? why, detail, after, temporary: input.temporary },
  }))
}

/** The transcripts that an error costs. */
function gapsOf(
  error: unknown,
  given: number,
): Required<Omit<Unread, 'path' | 'name' | 'sha256' | 'after' | 'temporary'>>[] {
  const unread = error instanceof TranscriptFileError ? unreadTranscripts(error.problems, given) : []
  if (unread.length > 0)
    return unread.map(({ problems: [{ line, column }], ...gap }) => ({ ...gap, at: { line, column } }))
  const { code, message = String(error) } = Object(error) as NodeJS.ErrnoException
  const detail = /^E[A-Z]+$/.test(code ?? '') ? `it is not readable (${code})` : message
  return [{ record: 1, part: 1, at: undefined, why: 'unreadable', detail }]
}
