import { Refusal } from '../refusal.js'
import type { AnnotationRequest, AnnotationResponse, AnnotatorInfo } from '../types.js'
import {
  anyObject,
  closed,
  expecting,
  isObject,
  list,
  reader,
  string,
  type Validator,
  wholeNumber,
} from '../validation/index.js'
import { type Annotator, outcome, signals } from './annotator.js'
import { annotateBy } from './conversation.js'

type Findings = Partial<Pick<AnnotationResponse, 'outcome' | 'outcome_notes' | 'signals'>>

/** The conditions of an answer. All fields that are given must hold. */
export interface ScriptCondition {
  /** A text in one of the messages, as it is written. */
  contains?: string
  /** The role of the message with that text, or of any message. Default: every role. */
  role?: string
  /** The number of messages. */
  messages?: number
  /** Fields of the `options` of the request, with their values. */
  options?: Readonly<Record<string, unknown>>
}

/** One answer of a script: findings, or a refusal with `status`. */
export interface ScriptedAnswer extends Findings {
  /** The requests that it is for. Default: every one. */
  when?: ScriptCondition
  /** How many requests it answers; later ones go on to the next answer. Default: all. */
  times?: number
  /** Refuse with this status, 400 to 599, in place of an outcome. */
  status?: number
  /** The `Retry-After` of the refusal, in seconds. Default: none. */
  retryAfter?: number
}

/** An annotator as data: its entry in the registry, and its answers. */
export interface AnnotatorScript extends Findings, Partial<Omit<AnnotatorInfo, 'id'>> {
  /** The name of the annotator. One of the server with this name is replaced. */
  id: string
  /** In order: the first one that fits answers. Default: none. */
  answers?: readonly ScriptedAnswer[]
  /** The outcome where no answer fits. Default: the annotator that is replaced judges. */
  outcome?: AnnotationResponse['outcome']
}

const filled = expecting('expected a text that is not empty', (value) => typeof value === 'string' && value !== '')
const status = expecting('expected a status from 400 to 599', (value) => {
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599
})
const findings = { outcome, outcome_notes: string, signals }
const condition = closed({}, { contains: filled, role: filled, messages: wholeNumber(0), options: anyObject })
const answerFields = closed(
  {},
  { ...findings, when: condition, times: wholeNumber(1), status, retryAfter: wholeNumber(0) },
)

const answer: Validator = (value, out) => {
  answerFields(value, out)
  if (!isObject(value)) return
  const isRefusal = value.status !== undefined
  if (isRefusal === (value.outcome !== undefined))
    out.push({ pointer: '', expected: 'expected either an outcome or a status' })
  if (!isRefusal && value.retryAfter !== undefined)
    out.push({ pointer: '/retryAfter', expected: 'only beside a status' })
}

export const script = closed(
  { id: filled },
  {
    annotator_version: filled,
    taxonomy_version: filled,
    description: string,
    answers: list(answer),
    ...findings,
  },
)

/** Check a script from JSON. Throws an Error with a pointer to every problem. */
export const readScript = reader<AnnotatorScript>('annotator', script)

/** An annotator that answers by a script. It makes the summary by rules. */
export class ScriptedAnnotator implements Annotator {
  readonly id: string
  readonly annotator_version: string
  readonly taxonomy_version: string
  readonly description: string
  /** The annotator that it replaces. */
  readonly replaced: Annotator | undefined
  readonly #script: AnnotatorScript
  readonly #answers: { answer: ScriptedAnswer; left: number }[]

  constructor(script: AnnotatorScript, replaced: Annotator | undefined) {
    const { id, answers = [] } = script
    this.id = id
    this.annotator_version = script.annotator_version ?? replaced?.annotator_version ?? '1.0.0'
    this.taxonomy_version = script.taxonomy_version ?? replaced?.taxonomy_version ?? '1.0.0'
    this.description = script.description ?? replaced?.description ?? 'Answers by a script.'
    this.replaced = replaced
    this.#script = script
    this.#answers = answers.map((answer) => ({ answer, left: answer.times ?? Number.POSITIVE_INFINITY }))
  }

  readonly annotate: Annotator['annotate'] = (request, context) => {
    const next = this.#answers.find(({ answer, left }) => left > 0 && fits(answer.when, request))
    if (next) next.left--
    const { answer = this.#script } = next ?? {}
    if ('status' in answer && answer.status !== undefined) throw refusalOf(answer.status, answer.retryAfter)
    const { outcome, outcome_notes: notes = '', signals = {} } = answer
    if (outcome !== undefined)
      return { ...annotateBy(() => ({ signals: {}, outcome, notes }), request.transcript), signals }
    if (this.replaced) return this.replaced.annotate(request, context)
    throw new Error(`The script of the annotator ${JSON.stringify(this.id)} has no outcome.`)
  }

  /** The script without the answers that are used up. */
  get script(): AnnotatorScript {
    const answers = this.#answers
      .filter(({ left }) => left > 0)
      .map(({ answer, left }) => (answer.times === undefined ? answer : { ...answer, times: left }))
    return { ...this.#script, ...(this.#script.answers && { answers }) }
  }
}

function refusalOf(status: number, retryAfter: number | undefined): Refusal {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new Refusal(status, 'A script answers in place of the annotator.', { headers })
}

function fits(condition: ScriptCondition = {}, { transcript, options = {} }: AnnotationRequest): boolean {
  const { contains, role, messages, options: wanted = {} } = condition
  if (messages !== undefined && transcript.length !== messages) return false
  const isFound = transcript.some(
    (message) =>
      (role === undefined || message.role === role) && (contains === undefined || message.content.includes(contains)),
  )
  if ((contains !== undefined || role !== undefined) && !isFound) return false
  const given = options as Readonly<Record<string, unknown>>
  return Object.entries(wanted).every(([name, value]) => JSON.stringify(given[name]) === JSON.stringify(value))
}

/** Let a registry answer by a script. Throws an Error if nothing answers where the script does not. */
export function setScript(registry: Annotator[], script: AnnotatorScript): void {
  const index = registry.findIndex(({ id }) => id === script.id)
  const annotator = registry[index]
  const replaced = annotator instanceof ScriptedAnnotator ? annotator.replaced : annotator
  if (script.outcome === undefined && !replaced)
    throw new Error(
      'Invalid annotator: /outcome: required, because this server has no annotator of that name that would judge.',
    )
  registry.splice(index < 0 ? registry.length : index, 1, new ScriptedAnnotator(script, replaced))
}
