import { utf8Length } from './json.js'
import { limits, roles } from './limits.js'
import {
  anyObject,
  bytes,
  checkBytes,
  flag,
  type InputReport,
  list,
  object,
  oneOf,
  optional,
  present,
  type Rule,
  refuse,
  sent,
  string,
  text,
  time,
} from './rules.js'

export type { InputReport } from './rules.js'

const turn = object({
  role: oneOf(roles),
  content: bytes('the content of a turn', limits.turnBytes),
  metadata: optional(anyObject),
  createdAt: optional(time),
  toolCalls: optional(list(object({ name: string, args: present }))),
  toolResults: optional(list(object({ name: string, result: present }))),
})

const upload = object({
  name: text(limits.name),
  modelName: optional(text(limits.modelName)),
  language: optional(text(limits.language)),
  sourceSystem: optional(text(limits.sourceSystem)),
  externalId: optional(text(limits.externalId)),
  externalUserId: optional(text(limits.externalUserId)),
  metadata: optional(anyObject),
  process: optional(flag),
  sourceTimestamp: optional(time),
  turns: list(turn, limits.turns),
})

const message = object({ role: string, content: string, is_user_visible: optional(flag) })
const annotation = object({ annotator: string, options: optional(anyObject), transcript: list(message) })
const project = object({ name: text(limits.name), domain: optional(oneOf(['general', 'ai_coding'])) })

/**
 * Checks the body of `transcripts.upload` as JSON would send it, against every bound, all at once. Sizes are bytes of
 * UTF-8: a turn's of its `content`, the upload's of its JSON, measured here unless `bytes` gives it; the stamp counts too
 * where the input bears it (`stampUpload`). Changes nothing
 * (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export function checkUpload(input: unknown, bytes?: number): InputReport {
  const { report, size } = judged(upload, input, bytes)
  if (size !== undefined) checkBytes(size, 'the whole upload', limits.bodyBytes, '', report)
  return report
}

/**
 * Checks the body of `annotations.create`, all at once: fields and their types, for the interface shows no size bounds.
 * `bytes`, where it is known, spares writing the JSON once more (interface: Resources › AnnotationRequest).
 */
export const checkAnnotation = (input: unknown, bytes?: number): InputReport => judged(annotation, input, bytes).report

/**
 * Checks the body of `projects.create`, all at once; `bytes` as in `checkAnnotation`
 * (interface: Endpoints › POST /projects).
 */
export const checkProject = (input: unknown, bytes?: number): InputReport => judged(project, input, bytes).report

function judged(rule: Rule, input: unknown, bytes: number | undefined): { report: InputReport; size?: number } {
  const report: InputReport = { violations: [], warnings: [] }
  try {
    const size = bytes ?? utf8Length(JSON.stringify(input) ?? '')
    rule(sent(input), '', report)
    return { report, size }
  } catch (error) {
    // The first line names the trouble; those that follow name properties.
    const why = error instanceof TypeError || error instanceof RangeError ? error.message.split('\n', 1)[0] : undefined
    refuse(report, '', 'what can be written as JSON', why ?? 'an error')
    return { report }
  }
}
