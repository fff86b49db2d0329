import { describe, expect, it } from 'vitest'
import { AmbiguousWriteError, ConnectionError, InputError, ServiceError, SvcError } from './errors.js'

const context = { operation: 'o', surface: 'workspace' as const, method: 'GET', url: 'https://svc.test/', attempts: [] }
const service = new ServiceError('m', context, { status: 404, kind: 'not_found', fields: [], body: undefined })

describe('the error classes', () => {
  it('are told apart by instanceof', () => {
    const errors = [
      new InputError('invalid_id', 'm', 'o'),
      service,
      new ConnectionError('m', context, 'waiting', false),
      new AmbiguousWriteError('m', context, {}),
    ]
    const classes = [InputError, ServiceError, ConnectionError, AmbiguousWriteError]
    for (const [i, error] of errors.entries()) {
      expect(classes.map((known) => error instanceof known)).toEqual(classes.map((_, j) => i === j))
      expect(error instanceof SvcError && error instanceof Error).toBe(true)
    }
  })

  it('are none of what only looks like an error', () => {
    for (const value of [
      null,
      undefined,
      'ServiceError',
      new Error('m'),
      { name: 'ServiceError', kind: 'not_found' },
    ]) {
      expect(value instanceof SvcError).toBe(false)
    }
  })

  it('can be subclassed without changing their meaning', () => {
    class Own extends ServiceError {}
    expect(service instanceof Own).toBe(false)
    const own = new Own('m', context, { status: 404, kind: 'not_found', fields: [], body: undefined })
    expect(own instanceof Own && own instanceof ServiceError).toBe(true)
  })
})
