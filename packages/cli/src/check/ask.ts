import { type Annotation, type AnnotationRequest, ServiceError } from '@svc/client'
import { type Answer, MalformedAnnotation, stopsRun, tokensOf } from '../annotate/index.js'
import { CliError, exit } from '../exit.js'
import { grouped } from '../grouped.js'
import { mapPool } from '../pool.js'
import { type AttemptLimits, type AttemptResult, needsAnotherAttempt } from './attempts.js'

/** A transcript to ask about. */
export interface Question {
  /** Its place in the input, from 0. */
  index: number
  body: AnnotationRequest
  /** SHA-256 of the body, hex; questions of the same one are asked once. */
  digest: string
  /** Judge an annotation by the rules of the transcript. */
  resultOf(annotation: Annotation): AttemptResult
}

/** One attempt that was answered. */
export interface Vote {
  annotation: Annotation
  from: 'asked' | 'cached'
}

/** What came of a question: an answer to each attempt, and what ended them early. */
export interface Asked {
  votes: Vote[]
  ended?: Extract<Answer, { error: unknown }> | 'over budget' | 'outage'
}

/** How questions are asked. */
export interface AskOptions extends AttemptLimits {
  ask(body: AnnotationRequest): Promise<Answer>
  /** Answers to attempts that were made before; attempts count from 1. */
  recall(question: Question, attempt: number): Annotation | undefined
  keep(question: Question, attempt: number, annotation: Annotation): Promise<void>
  /** Tokens, in and out, after which nothing more is asked. */
  maxTokens: number | undefined
  concurrency: number
  isStopped(): boolean
}

/** What came of a question, and of all others that ask the same: the first of them asked. */
export interface Answered extends Asked {
  questions: readonly Question[]
}

/** After so many temporary failures in a row, with no answer between them, nothing more is asked. */
export const outageThreshold = (concurrency: number): number => 3 * concurrency

/** A failure of the service or the network. A wait after a 429 is none, nor is a deadline that has passed. */
const isFailure = (answer: Answer): boolean =>
  'error' in answer &&
  answer.code === exit.temporary &&
  !(answer.error instanceof CliError) &&
  !(answer.error instanceof ServiceError && answer.error.kind === 'rate_limited')

/** Asks, so many at a time, each text once, and gives what came of each in the order of completion. */
export async function* askAll(
  questions: readonly Question[],
  way: AskOptions,
): AsyncGenerator<Answered, void, undefined> {
  let isCondemned = false
  let tokens = 0
  // Of all workers together, in the order in which requests end.
  let failuresInARow = 0
  let isOutage = false
  const ask = async (body: AnnotationRequest): Promise<Answer> => {
    const answer = await way.ask(body)
    failuresInARow = isFailure(answer) ? failuresInARow + 1 : 0
    isOutage ||= failuresInARow >= outageThreshold(way.concurrency)
    return answer
  }
  const askOne = async (together: readonly Question[]): Promise<Answered> => {
    const [question] = together as [Question]
    const votes: Vote[] = []
    // Each of them may be held to other rules, by which it needs more attempts.
    const isAskedAgain = () =>
      together.some(({ resultOf }) =>
        needsAnotherAttempt(
          votes.map(({ annotation }) => resultOf(annotation)),
          way,
        ),
      )
    while (isAskedAgain()) {
      const kept = way.recall(question, votes.length + 1)
      if (!kept && votes.length > 0 && (isCondemned || way.isStopped())) break
      // Answers that the cache holds are judged all the same.
      if (!kept && isOutage) return { questions: together, votes, ended: 'outage' }
      if (!kept && way.maxTokens !== undefined && tokens >= way.maxTokens)
        return { questions: together, votes, ended: 'over budget' }
      const answer = kept ? { annotation: kept } : await ask(question.body)
      if ('error' in answer) {
        isCondemned ||= stopsRun(answer)
        if (answer.error instanceof MalformedAnnotation) tokens += answer.error.tokens
        return { questions: together, votes, ended: answer }
      }
      const { annotation } = answer
      if (!kept) {
        tokens += tokensOf(annotation.usage)
        await way.keep(question, votes.length + 1, annotation)
      }
      votes.push({ annotation, from: kept ? 'cached' : 'asked' })
    }
    return { questions: together, votes }
  }
  yield* mapPool(
    grouped(questions, ({ digest }) => digest).values(),
    way.concurrency,
    askOne,
    () => isCondemned || way.isStopped(),
  )
}
