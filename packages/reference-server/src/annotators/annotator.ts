import type { Clock } from '../clock.js'
import { abortable, ClientClosedRequest } from '../http-messages.js'
import type { AnnotationRequest, AnnotationResponse, AnnotatorInfo, UsageInfo } from '../types.js'
import {
  check,
  describeViolations,
  list,
  object,
  oneOf,
  record,
  string,
  tokens,
  type Validator,
  wholeNumber,
} from '../validation/index.js'

/** What an annotator finds in a transcript; its id and versions are added by the server, and the usage if it gives none. */
export interface Judgement extends Pick<AnnotationResponse, 'summary' | 'outcome' | 'outcome_notes' | 'signals'> {
  /**
   * Default: tokens counted as for `total_token_count`, milliseconds of the clock (interface: Resources › UsageInfo).
   */
  usage?: UsageInfo
}

/**
 * A named and versioned annotator (interface: Resources › AnnotatorInfo). It may throw a `Refusal`, such as 429, 502 or
 * 503.
 */
export interface Annotator extends AnnotatorInfo {
  /**
   * Judges one request whose fields were checked. `signal` is aborted when the caller goes away; `clock` is the server's.
   * What it throws goes to `onError`, and the caller sees a 500; a `Refusal` is answered as it is. An answer that is no
   * `Judgement`, or names a turn that is not there, is such an error, too: it names the annotator and the field.
   */
  annotate(request: AnnotationRequest, context: { clock: Clock; signal: AbortSignal }): Judgement | Promise<Judgement>
}

const summary = object({
  title: string,
  keywords: list(string),
  summary: string,
  quality_concerns: string,
  user_intent: string,
  domain: string,
})
const turn: Validator = (value, out) => {
  if (value !== null) wholeNumber(1)(value, out)
}
const judgement = object(
  {
    summary,
    outcome: oneOf(['strong', 'mixed', 'poor', 'critical', 'indeterminate']),
    outcome_notes: string,
    signals: record(object({ evidence: string }, { turn })),
  },
  { usage: object({ tokens_in: wholeNumber(0), tokens_out: wholeNumber(0), latency_ms: wholeNumber(0) }) },
)

/** What an annotator gave, if it is one: no answer of the server has another shape than the interface shows. */
function checked({ id }: Annotator, { transcript }: AnnotationRequest, given: unknown): Judgement {
  const violations = check(given, judgement)
  if (violations.length === 0) {
    for (const [name, { turn }] of Object.entries((given as Judgement).signals)) {
      if ((turn ?? 0) > transcript.length)
        violations.push({ pointer: `/signals/${name}/turn`, expected: `expected one of ${transcript.length} turns` })
    }
  }
  if (violations.length === 0) return given as Judgement
  throw new TypeError(
    `The answer of the annotator ${JSON.stringify(id)} is invalid: ${describeViolations(violations, 'answer')}.`,
  )
}

/** The entry of an annotator in the registry. */
export function infoOf({ id, annotator_version, taxonomy_version, description }: Annotator): AnnotatorInfo {
  return { id, annotator_version, taxonomy_version, description }
}

/** Runs an annotator and accounts for it: tokens of the transcript and of the findings, milliseconds of the clock. */
export async function annotate(
  annotator: Annotator,
  request: AnnotationRequest,
  context: { clock: Clock; signal: AbortSignal },
): Promise<AnnotationResponse> {
  const startedAt = context.clock.now()
  // Named one by one: other fields that an annotator gives do not belong into the answer.
  const given = await judged(annotator, request, context)
  const { summary, outcome, outcome_notes, signals, usage } = checked(annotator, request, given)
  const findings = { summary, outcome, outcome_notes, signals }
  const { id, annotator_version, taxonomy_version } = annotator
  return {
    ...findings,
    annotator: id,
    annotator_version,
    taxonomy_version,
    usage: usage ?? {
      tokens_in: request.transcript.reduce((sum, { content }) => sum + tokens(content), 0),
      tokens_out: tokens(JSON.stringify(findings)),
      latency_ms: Math.round(context.clock.now() - startedAt),
    },
  }
}

/** What an annotator answers; `CallerGone` where it is not waited for any more, whatever it throws then. */
async function judged(
  annotator: Annotator,
  request: AnnotationRequest,
  context: { clock: Clock; signal: AbortSignal },
): Promise<Judgement> {
  const judgement = annotator.annotate(request, context)
  if (!(judgement instanceof Promise)) return judgement
  const { signal } = context
  return abortable(judgement, signal).catch((error: unknown) => {
    throw signal.aborted ? new ClientClosedRequest('The caller went away.', { cause: error }) : error
  })
}
