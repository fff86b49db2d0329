import type { Annotation, FetchLike } from '@svc/client'
import type { Choices } from '../choices.js'
import type { Process, Scheduler } from '../scheduler.js'
import type { Service } from '../service.js'

/** An answer as a client received it. */
export interface GivenAnswer {
  /** The text of the first message of its transcript. */
  content: string
  outcome: string
  annotator_version: string
  /** Differs for each answer. */
  outcome_notes: string
  /** It is no annotation of this annotator. */
  isMalformed: boolean
}

/** The service of a world with an annotator whose answers are drawn, and a record of them. */
export interface Annotating {
  service: Service
  given: readonly GivenAnswer[]
  /** The versions that the registry listed, in the order of its answers. */
  listed: readonly string[]
}

/** The id of the annotator. */
export const annotatorId = 'structural'

const outcomes = ['strong', 'mixed', 'poor', 'critical', 'indeterminate', 'excellent'] as const
type Outcome = (typeof outcomes)[number]

const minute = 60_000

/**
 * Draw the answers of the annotator: each transcript has an outcome, or two that take turns at random; the version may
 * change once; and while the network is bad, some answers are no annotations.
 */
export function drawAnnotator(service: Service, choices: Choices, scheduler: Scheduler): Annotating {
  const given: GivenAnswer[] = []
  const listed: string[] = []
  const usual = new Map<string, readonly [Outcome, ...Outcome[]]>()
  const newVersionAt = choices.pick([Number.POSITIVE_INFINITY, minute, 10 * minute] as const, 0.8)
  const malformedRate = choices.pick([0, 0.05] as const, 0.5)
  const version = () => (scheduler.elapsed < newVersionAt ? '1.0.0' : '1.1.0')

  function outcomeOf(content: string): Outcome {
    const known = usual.get(content)
    if (known) return choices.pick(known, 0.6)
    const first = choices.pick(['strong', 'mixed', 'poor', 'critical', 'indeterminate', 'excellent'] as const, 0.5)
    usual.set(content, choices.chance(0.2) ? [first, choices.pick(outcomes)] : [first])
    return first
  }

  function answerFor(content: string, annotation: Annotation): string {
    const outcome = outcomeOf(content)
    const outcome_notes = `${content} #${given.length + 1}`
    const answer = { ...annotation, outcome, outcome_notes, annotator_version: version() }
    const isMalformed = scheduler.elapsed < 40 * minute && choices.chance(malformedRate)
    given.push({ content, outcome, annotator_version: version(), outcome_notes, isMalformed })
    if (!isMalformed) return JSON.stringify(answer)
    const { outcome: _, ...lacking } = answer
    const malformed = [lacking, { ...answer, annotator: 'patterns' }, { ...answer, signals: [] }, 'ok', {}] as const
    return JSON.stringify(choices.pick(malformed))
  }

  const fetchWith =
    (fetch: FetchLike, process: Process): FetchLike =>
    async (url, init) => {
      const response = await fetch(url, init)
      const path = new URL(url).pathname
      if (response.status !== 200 || !path.startsWith('/v1/annot')) return response
      const { status, statusText, headers } = response
      let body: Annotation & { annotators: Annotation[] }
      try {
        body = await new Response(response.body as ReadableStream).json()
      } catch (error) {
        return { status, statusText, headers, body: new ReadableStream({ start: (cutOff) => cutOff.error(error) }) }
      }
      if (path === '/v1/annotators') {
        if (!process.isDead) listed.push(version())
        const annotators = body.annotators.map((each) => ({ ...each, annotator_version: version() }))
        return { status, statusText, headers, body: new Response(JSON.stringify({ annotators })).body }
      }
      // A request of a killed process draws no choices.
      if (process.isDead) return response
      const { transcript } = JSON.parse(String(init.body))
      const text = answerFor(transcript[0]?.content ?? '', body)
      return { status, statusText, headers, body: new Response(text).body }
    }
  return { service: { ...service, fetchOf: (...of) => fetchWith(service.fetchOf(...of), of[0]) }, given, listed }
}
