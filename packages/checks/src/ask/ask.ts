import { type Annotation, ServiceError } from '@svc/client'
import { grouped } from '@svc/text'
import { mapPool } from '../../../bulk/src/pool.js'
import {
  type AnnotationBody,
  type Answer,
  estimatedTokens,
  MalformedAnnotation,
  stopsRun,
  tokensOf,
} from '../../../cli/src/annotate/index.js'
import { CliError, exit } from '../../../cli/src/exit.js'
import { type AttemptLimits, type AttemptResult, isFailed, needsAnotherAttempt } from './attempts.js'

/** A transcript to annotate. */
export interface Question {
  /** Its index in the input. */
  index: number
  body: AnnotationBody
  /** SHA-256 of the body in hex; questions with the same body are asked once. */
  digest: string
  /** Judge an annotation by the rules of the transcript. */
  resultOf(annotation: Annotation): AttemptResult
}

/** The answer of one attempt. */
export interface Vote {
  annotation: Annotation
  from: 'asked' | 'cached'
}

/** The answers to all questions with the same body, the first of which was asked. */
export interface Answered {
  questions: readonly Question[]
  votes: Vote[]
  /** The reason why attempts are missing. */
  ended?: Extract<Answer, { error: unknown }> | 'over budget' | 'enough failures' | 'outage'
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
  answer.code === exit.temporary &&
  !(answer.error instanceof CliError) &&
  !(answer.error instanceof ServiceError && answer.error.kind === 'rate_limited')

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
  const askOne = async (questions: readonly Question[]): Promise<Answered> => {
    const [question] = questions as [Question]
    const votes: Vote[] = []
    // Equal transcripts may have different rules, and so need different numbers of attempts.
    const resultsOf = ({ resultOf }: Question) => votes.map(({ annotation }) => resultOf(annotation))
    const isNeeded = () => questions.some((each) => needsAnotherAttempt(resultsOf(each), options))
    while (isNeeded()) {
      const attempt = votes.length + 1
      const cached = options.lookUp(question, attempt)
      if (cached) {
        votes.push({ annotation: cached, from: 'cached' })
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
      votes.push({ annotation: answer.annotation, from: 'asked' })
    }
    failures += questions.filter((each) => isFailed(resultsOf(each), options)).length
    return { questions, votes }
  }
  yield* mapPool(
    grouped(questions, ({ digest }) => digest).values(),
    options.concurrency,
    askOne,
    () => isRunStopped || options.isStopped(),
  )
}
