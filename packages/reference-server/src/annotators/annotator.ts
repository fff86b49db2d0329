import { type Clock, monotonicOf } from '../clock.js'
import { abortable } from '../http-messages.js'
import type { AnnotationRequest, AnnotationResponse, AnnotatorInfo, UsageInfo } from '../types.js'
import {
  assertValid,
  list,
  object,
  oneOf,
  record,
  string,
  tokens,
  type Validator,
  wholeNumber,
} from '../validation/index.js'

/** The result of an annotator; the server adds its id and versions, and the usage if it is missing. */
export interface Judgement extends Pick<AnnotationResponse, 'summary' | 'outcome' | 'outcome_notes' | 'signals'> {
  /** Default: tokens as in `total_token_count`, milliseconds of the clock (interface: Resources › UsageInfo). */
  usage?: UsageInfo
}

/**
 * A named and versioned annotator (interface: Resources › AnnotatorInfo). It may throw a `Refusal`, such as 429, 502 or
 * 503.
 */
export interface Annotator extends AnnotatorInfo {
  /**
   * Judge a valid request. `signal` is aborted when the client closes the request; `clock` is the server's. A thrown `Refusal`
   * is the response; any other error, such as one for an invalid `Judgement` or a turn that does not exist, goes to `onError`,
   * and the client sees a 500.
   */
  annotate(request: AnnotationRequest, context: { clock: Clock; signal: AbortSignal }): Judgement | Promise<Judgement>
}

export const outcome = oneOf(['strong', 'mixed', 'poor', 'critical', 'indeterminate'])
export const signals = record(
  object({ evidence: string }, { turn: (value, out) => (value === null ? undefined : wholeNumber(1)(value, out)) }),
)

const fields = object(
  {
    summary: object({
      title: string,
      keywords: list(string),
      summary: string,
      quality_concerns: string,
      user_intent: string,
      domain: string,
    }),
    outcome,
    outcome_notes: string,
    signals,
  },
  { usage: object({ tokens_in: wholeNumber(0), tokens_out: wholeNumber(0), latency_ms: wholeNumber(0) }) },
)

const judgementOf =
  (turns: number): Validator =>
  (value, out) => {
    fields(value, out)
    if (out.length > 0) return
    for (const [name, { turn }] of Object.entries((value as Judgement).signals)) {
      if ((turn ?? 0) > turns)
        out.push({ pointer: `/signals/${name}/turn`, expected: `expected one of ${turns} turns` })
    }
  }

export function infoOf({ id, annotator_version, taxonomy_version, description }: Annotator): AnnotatorInfo {
  return { id, annotator_version, taxonomy_version, description }
}

/** Run an annotator and check its result. Throws `ClientClosedRequest` as soon as the signal of the caller is aborted. */
export async function annotate(
  annotator: Annotator,
  request: AnnotationRequest,
  clock: Clock,
  caller: { readonly signal: AbortSignal },
): Promise<AnnotationResponse> {
  const { id, annotator_version, taxonomy_version } = annotator
  const { transcript } = request
  const startedAt = monotonicOf(clock)
  const result = annotator.annotate(request, {
    clock,
    // Created on first use, which most annotators do not make.
    get signal() {
      return caller.signal
    },
  })
  const judgement = result instanceof Promise ? await abortable(result, caller.signal) : result
  assertValid(
    judgement,
    judgementOf(transcript.length),
    (problems) => new TypeError(`The answer of the annotator ${JSON.stringify(id)} is invalid: ${problems}.`),
    'answer',
  )
  // Other fields of the result do not belong in the response.
  const { summary, outcome, outcome_notes, signals } = judgement
  const findings = { summary, outcome, outcome_notes, signals }
  return {
    ...findings,
    annotator: id,
    annotator_version,
    taxonomy_version,
    usage: judgement.usage ?? {
      tokens_in: transcript.reduce((sum, { content }) => sum + tokens(content), 0),
      tokens_out: tokens(JSON.stringify(findings)),
      latency_ms: Math.round(monotonicOf(clock) - startedAt),
    },
  }
}
