import { Refusal } from '../refusal.js'
import type { AnnotationRequest, ProjectCreate, TranscriptUpload } from '../types.js'
import { utf8Length } from './text.js'
import {
  anyObject,
  anything,
  boolean,
  check,
  describeViolations,
  isObject,
  isoDate,
  list,
  type Measure,
  measures,
  object,
  oneOf,
  string,
  text,
  type Validator,
  type Violation,
} from './validators.js'

const message = object({ role: string, content: string }, { is_user_visible: boolean })
const annotation = object({ transcript: list(message), annotator: string }, { options: anyObject })

const turn = object(
  { role: oneOf(['user', 'assistant', 'system', 'tool', 'human_agent']), content: string },
  {
    toolCalls: list(object({ name: string, args: anything })),
    toolResults: list(object({ name: string, result: anything })),
    metadata: anyObject,
    createdAt: isoDate,
  },
)

const project = (measure: Measure) =>
  object({ name: text(1, 500, measure) }, { domain: oneOf(['general', 'ai_coding']) })

/** The fields of an upload, each with its bounds. */
export const uploadFields = (measure: Measure) => ({
  required: { name: text(1, 500, measure), turns: list(turn, 1, 1000) },
  optional: {
    modelName: text(0, 100, measure),
    language: text(0, 10, measure),
    sourceSystem: text(0, 100, measure),
    externalId: text(0, 500, measure),
    externalUserId: text(0, 500, measure),
    metadata: anyObject,
    sourceTimestamp: isoDate,
    process: boolean,
  },
})

const upload = (measure: Measure) => {
  const { required, optional } = uploadFields(measure)
  return object(required, optional)
}

const projects = { 'code points': project(measures['code points']), 'utf-16 units': project(measures['utf-16 units']) }
const uploads = { 'code points': upload(measures['code points']), 'utf-16 units': upload(measures['utf-16 units']) }

type Characters = keyof typeof measures

/** The body of POST /v1/annotations, or 422 with everything that is wrong in it. */
export function readAnnotationRequest(body: unknown): AnnotationRequest {
  return read<AnnotationRequest>(body, annotation, 422)
}

/** The body of POST /projects, or 400. */
export function readProjectCreate(body: unknown, characters: Characters): ProjectCreate {
  return read<ProjectCreate>(body, projects[characters], 400)
}

const { required, optional } = uploadFields(measures['code points'])
const uploadNames = [...Object.keys(required), ...Object.keys(optional)]

/**
 * The body of an upload without the fields that the interface does not name, or 400; `also` is what is wrong with it
 * beside its own fields.
 */
export function readTranscriptUpload(body: unknown, characters: Characters, also: Violation[] = []): TranscriptUpload {
  const upload = read<Record<string, unknown>>(body, uploads[characters], 400, also)
  const known: Record<string, unknown> = {}
  for (const name of uploadNames) if (Object.hasOwn(upload, name)) known[name] = upload[name]
  return known as TranscriptUpload
}

/** Refuses with 413 a body in which a turn's content is over `limit` bytes of UTF-8, whatever else is wrong with it. */
export function checkTurnBytes(body: unknown, limit: number): void {
  if (!isObject(body) || !Array.isArray(body.turns)) return
  for (const [index, item] of body.turns.entries()) {
    const content: unknown = isObject(item) ? item.content : undefined
    // No string has more than three bytes for each of its code units.
    if (typeof content !== 'string' || content.length * 3 <= limit || utf8Length(content) <= limit) continue
    throw new Refusal(413, `/turns/${index}/content: exceeds ${limit} bytes of UTF-8`)
  }
}

function read<T>(body: unknown, shape: Validator, status: number, also: readonly Violation[] = []): T {
  const violations = [...also, ...check(body, shape)]
  if (violations.length > 0) throw new Refusal(status, describeViolations(violations))
  return body as T
}
