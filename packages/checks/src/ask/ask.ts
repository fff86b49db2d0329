import { type Annotation, mapConcurrent, ServiceError } from '@svc/client'
import { grouped } from '@svc/text'
import { CheckError } from '../check-error.js'
import { type CustomResult, nothingFound } from '../rules/index.js'
import {
  type AnnotationBody,
  type Answer,
  estimatedTokens,
  type Failure,
  MalformedAnnotation,
  stopsRun,
  tokensOf,
} from './annotate.js'
import { type AttemptLimits, type AttemptResult, isFailed, needsAnotherAttempt } from './attempts.js'

/** A transcript to annotate. */
export interface Question {
  /** Its index in the input. */
  index: number
  body: AnnotationBody
  /** SHA-256 of the body in hex; questions with the same body are asked once. */
  digest: string
  /** Run the functions of the policy on an annotation. Absent if there are none. */
  runRules?(annotation: Annotation): CustomResult | Promise<CustomResult>
  resultOf(annotation: Annotation, custom: CustomResult): AttemptResult
}

/** The answer of one attempt. */
export interface Vote {
  annotation: Annotation
  from: 'asked' | 'cached'
  /** The findings of the functions of the policy for each question that has any. */
  custom: ReadonlyMap<Question, CustomResult>
}

/** The answers to all questions with the same body, the first of which was asked. */
export interface Answered {
  questions: readonly Question[]
  votes: Vote[]
  /** The reason why attempts are missing. */
  ended?: Failure | 'over budget' | 'enough failures' | 'outage'
}

export interface AskOptions extends AttemptLimits {
  ask(body: AnnotationBody): Promise<Answer>
  /** The cached answer of an attempt, from 1. */
  lookUp(question: Question, attempt: number): Annotation | undefined
  store(question: Question, attempt: number, annotation: Annotation): Promise<void>
  /** The number of tokens, in and out, after which no request is sent. */
  maxTokens: number | undefined
  /** The number of failed transcripts after which no request is sent. */
  maxFailures: number | undefined
  concurrency: number
  isStopped(): boolean
}

/** The number of temporary failures in a row after which no request is sent. */
export const outageThreshold = (concurrency: number): number => 3 * concurrency

/** A failure of the service or the network; neither a 429 nor a deadline is one. */
const isOutageFailure = (answer: Answer): boolean =>
  'error' in answer &&
  answer.step === 'try_later' &&
  !(answer.error instanceof CheckError) &&
  !(answer.error instanceof ServiceError && answer.error.kind === 'rate_limited')

export async function voteOf(
  questions: readonly Question[],
  annotation: Annotation,
  from: Vote['from'],
): Promise<Vote> {
  const custom = new Map<Question, CustomResult>()
  for (const question of questions) if (question.runRules) custom.set(question, await question.runRules(annotation))
  return { annotation, from, custom }
}

export const resultsOf = (votes: readonly Vote[], question: Question): AttemptResult[] =>
  votes.map(({ annotation, custom }) => question.resultOf(annotation, custom.get(question) ?? nothingFound))

/** Ask each distinct body once, with limited concurrency; yields in the order of completion. */
export async function* askAll(
  questions: readonly Question[],
  options: AskOptions,
): AsyncGenerator<Answered, void, undefined> {
  let isRunStopped = false
  let tokens = 0
  let failures = 0
  let failuresInARow = 0
  let isOutage = false
  const ask = async (body: AnnotationBody): Promise<Answer> => {
    const answer = await options.ask(body)
    failuresInARow = isOutageFailure(answer) ? failuresInARow + 1 : 0
    isOutage ||= failuresInARow >= outageThreshold(options.concurrency)
    return answer
  }
  const askOne = async (questions: readonly [Question, ...Question[]]): Promise<Answered> => {
    const [question] = questions
    const votes: Vote[] = []
    // Equal transcripts may have different rules, and so need different numbers of attempts.
    const isNeeded = () => questions.some((each) => needsAnotherAttempt(resultsOf(votes, each), options))
    while (isNeeded()) {
      const attempt = votes.length + 1
      const cached = options.lookUp(question, attempt)
      if (cached) {
        votes.push(await voteOf(questions, cached, 'cached'))
        continue
      }
      if (attempt > 1 && (isRunStopped || options.isStopped())) break
      if (isOutage) return { questions, votes, ended: 'outage' }
      if (options.maxFailures !== undefined && failures >= options.maxFailures)
        return { questions, votes, ended: 'enough failures' }
      if (options.maxTokens !== undefined && tokens >= options.maxTokens)
        return { questions, votes, ended: 'over budget' }
      const answer = await ask(question.body)
      if ('error' in answer) {
        isRunStopped ||= stopsRun(answer)
        if (answer.error instanceof MalformedAnnotation) tokens += answer.error.tokens
        return { questions, votes, ended: answer }
      }
      tokens += tokensOf(answer.annotation.usage, estimatedTokens(question.body))
      await options.store(question, attempt, answer.annotation)
      votes.push(await voteOf(questions, answer.annotation, 'asked'))
    }
    failures += questions.filter((each) => isFailed(resultsOf(votes, each), options)).length
    return { questions, votes }
  }
  const groups = grouped(questions, ({ digest }) => digest).values()
  const until = () => isRunStopped || options.isStopped()
  for await (const settled of mapConcurrent(groups, askOne, { concurrency: options.concurrency, until })) {
    if (settled.status === 'rejected') throw settled.reason
    yield settled.value
  }
}
