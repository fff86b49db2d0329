import { describe, expect, it } from 'vitest'
import { handClock } from '../../../test/helpers/hand-clock.js'
import { createDeadline } from './deadline.js'

describe('a deadline', () => {
  it('ends its signal and its calls with one error, whatever happens to the wall clock', async () => {
    const clock = handClock()
    const error = () => new Error('late')
    const deadline = createDeadline(1_000, clock, error)
    await clock.advance(400)
    clock.jumpWall(3_600_000)
    expect([deadline.left(), deadline.passed(), deadline.signal.aborted]).toEqual([600, undefined, false])
    await clock.advance(600)
    expect(deadline.signal.aborted).toBe(true)
    expect(deadline.passed()).toBe(deadline.signal.reason)
    expect(() => deadline.left()).toThrow('late')
  })

  it('a deadline has passed for a call whose own timer was a little early', async () => {
    const clock = handClock()
    const deadline = createDeadline(1_000, clock, () => new Error('late'))
    await clock.advance(994)
    expect(deadline.passed()).toBeUndefined()
    await clock.advance(1)
    expect(deadline.passed()).toMatchObject({ message: 'late' })
    deadline.end()
    expect(clock.pending).toEqual([])
  })

  it('a deadline of no time at all never passes, and waits for nothing', () => {
    const clock = handClock()
    const deadline = createDeadline(undefined, clock, () => new Error('late'))
    expect([deadline.left(), deadline.passed(), clock.pending]).toEqual([undefined, undefined, []])
  })
})
