import { expect } from 'chai'
import { anAnnotation, onA, onB, refused } from './asking-fixture.js'
import type { Answered, Ask, Trial } from './rule.js'

/** The length of the windows, in milliseconds. */
export const windowMs = 10_000

/** Options of a server whose keys are served so many requests in a window. */
export const limits = (requests: number, length = windowMs) => ({ limits: { requests, windowMs: length } })

/** A request of each surface that is limited. */
export const listing = onB('/projects?limit=1')
export const annotating = onA('/v1/annotations', { body: anAnnotation('structural') })

/** Refused for its rate, with the seconds to wait. */
export function limited(asked: Ask, answer: Answered, seconds: number): void {
  refused(asked, answer, 429)
  expect(answer.headers['retry-after']).to.equal(String(seconds))
}

/** Asked so many times and served each time. */
export async function served({ ask }: Pick<Trial, 'ask'>, asked: Ask, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const { status, text } = await ask(asked)
    expect(status, text).to.equal(200)
  }
}
