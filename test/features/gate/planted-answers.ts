import fc from 'fast-check'
import type { Session } from '../../helpers/session.js'

/** How the service answers a request for an annotation: an outcome and signals, a malformed annotation, or a fault. */
export type PlantedAnswer = string

/** A valid annotation that the service has given. */
export interface GivenAnswer {
  content: string
  outcome: string
  signals: readonly string[]
  /** The number of the run that asked, from 0. */
  run: number
}

const graded = ['strong', 'strong', 'mixed', 'mixed rude', 'strong loop']
const failing = ['poor', 'critical', 'poor loop', 'critical rude']
const ungraded = ['indeterminate', 'indeterminate loop', 'superb', 'Strong', 'strong\u200b', '']
const changes: Record<string, (annotation: Record<string, unknown>) => unknown> = {
  'no summary': ({ summary: _, ...rest }) => rest,
  'signals in a list': (annotation) => ({ ...annotation, signals: [] }),
  'a signal without evidence': (annotation) => ({ ...annotation, signals: { loop: {} } }),
  'of another annotator': (annotation) => ({ ...annotation, annotator: 'patterns' }),
  'no outcome': (annotation) => ({ ...annotation, outcome: null }),
  'outcomes in a list': (annotation) => ({ ...annotation, outcome: ['strong'] }),
  'a number as its version': (annotation) => ({ ...annotation, annotator_version: 1 }),
  'a list of annotations': (annotation) => [annotation],
  'an envelope': (annotation) => ({ data: annotation }),
  'negative tokens': (annotation) => ({ ...annotation, usage: { tokens_in: -5, tokens_out: -1, latency_ms: 1 } }),
}
const bodies: Record<string, string> = {
  'a page': '<html>strong</html>',
  'no body': '',
  'a cut body': '{"outcome": "strong", "signals": {',
  'a text': '"strong"',
}
const faults = ['500', '502', '503', '504', '429', '422', '404', '401', '403', '301', 'dropped']

const any = (...of: readonly PlantedAnswer[]) => fc.constantFrom(...of)

/** An answer with which a transcript passes by every policy that is drawn without flaws. */
export const goodAnswers = any('strong')

/** An answer of any kind that may not pass. */
export const flawedAnswers: fc.Arbitrary<PlantedAnswer> = fc.oneof(
  { weight: 2, arbitrary: any(...failing) },
  any(...ungraded),
  any(...Object.keys(changes)),
  any(...Object.keys(bodies), ...faults),
)

export const answers: fc.Arbitrary<PlantedAnswer> = fc.oneof(
  { weight: 7, arbitrary: any(...graded) },
  { weight: 2, arbitrary: flawedAnswers },
)

/** An outage: the first of the requests that it concerns, their number, and the answer to them. */
export const outages = fc.option(
  fc.record({
    from: fc.nat(4),
    requests: fc.integer({ min: 1, max: 12 }),
    answer: any('500', '503', '429', 'dropped'),
  }),
  { freq: 6, nil: undefined },
)

export interface ServicePlan {
  /** The answers to each content in turn; the last one stays. */
  answersOf(content: string): readonly PlantedAnswer[]
  outage: { from: number; requests: number; answer: PlantedAnswer } | undefined
}

/** The reference server, whose annotations are those of the plan, and all valid ones that it has given. */
export function plantedService({ fetch, clock }: Session, { answersOf, outage }: ServicePlan) {
  const given: GivenAnswer[] = []
  const timesAsked = new Map<string, number>()
  let requests = 0
  const control = { run: 0, onRequest: (_: number) => {} }

  async function answerTo(request: Request): Promise<Response> {
    if (!request.url.endsWith('/v1/annotations')) return fetch(request)
    const at = requests++
    control.onRequest(at)
    const isOut = outage !== undefined && at >= outage.from && at < outage.from + outage.requests
    if (isOut) return faultOf(outage.answer)
    const { transcript } = (await request.clone().json()) as { transcript: { content: string }[] }
    const content = transcript[0]?.content ?? ''
    const planned = answersOf(content)
    const times = timesAsked.get(content) ?? 0
    timesAsked.set(content, times + 1)
    const answer = planned[Math.min(times, planned.length - 1)] ?? 'strong'
    if (faults.includes(answer)) return faultOf(answer)
    const body = bodies[answer]
    if (body !== undefined) return new Response(body, { headers: { 'content-type': 'application/json' } })
    const response = await fetch(request)
    if (!response.ok) return response
    const annotation = (await response.json()) as Record<string, unknown>
    const change = changes[answer]
    if (change) return Response.json(change({ ...annotation, outcome: 'strong', signals: {} }))
    const [outcome = '', ...signals] = answer.split(' ')
    given.push({ content, outcome, signals, run: control.run })
    const hits = Object.fromEntries(signals.map((key) => [key, { evidence: 'Well.', turn: 2 }]))
    return Response.json({ ...annotation, outcome, signals: hits })
  }

  function faultOf(fault: string): Response {
    if (fault === 'dropped') throw new TypeError('fetch failed')
    const headers = {
      ...(fault === '429' && { 'retry-after': '2' }),
      ...(fault === '301' && { location: 'https://elsewhere.test' }),
      date: new Date(clock.now()).toUTCString(),
    }
    return Response.json({ error: 'planted', detail: 'as it was planted' }, { status: Number(fault), headers })
  }

  return { fetch: answerTo, given, control }
}
