import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EndingName, endings } from '../retry/endings.js'
import { buildEndingProgram } from '../retry/run-ending.js'

const outcomes: Partial<Record<EndingName, string>> = {
  success: 'resolved',
  'break between pages': 'resolved',
  'nobody there': 'ConnectionError',
  'time-out while waiting': 'ConnectionError',
  'time-out while reading': 'ConnectionError',
  'deadline while waiting': 'ConnectionError',
  refusal: 'ServiceError',
  'a refusal of 8 MB': 'ServiceError',
  'a wait beyond the deadline': 'ServiceError',
}

let program: Awaited<ReturnType<typeof buildEndingProgram>>
beforeAll(async () => {
  program = await buildEndingProgram()
})
afterAll(() => program.remove())

type Way = Parameters<typeof program.run>[1]
const isLeft = async (ending: EndingName, transport: Way) => {
  const { code, outcome, resources, err } = await program.run(ending, transport)
  const expected = outcomes[ending] ?? 'stopped'
  expect({ code, outcome, resources, err }).toEqual({ code: 0, outcome: expected, resources: [], err: '' })
}
/** Node's fetch gives a connection that does not come about ten seconds, aborted or not. */
const beyondUs = (ending: EndingName, transport: Way) =>
  ending === 'stop while connecting' && transport === 'the global fetch'

describe.concurrent.each(['the global fetch', 'nodeTransport()'] as const)(
  'over %s, a process ends by itself after',
  (transport) => {
    const all = Object.keys(endings) as EndingName[]
    it.each(all.filter((ending) => !beyondUs(ending, transport)))('%s', (ending) => isLeft(ending, transport))

    const beyond = all.filter((ending) => beyondUs(ending, transport))
    it.fails.each(beyond)('%s (Node keeps the socket for ten seconds)', (ending) => isLeft(ending, transport))
  },
)
