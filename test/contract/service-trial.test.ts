import { expect, it } from 'vitest'
import { reported } from '../rules/exchange.js'
import { MissingKey, serviceTrial } from '../rules/service-trial.js'

const bases = { baseUrl: 'https://svc.test', publicBaseUrl: 'https://svc.test/public/api/v1' }
const service = { bases, keys: { full: 'sk-full', reader: 'sk-reader' } }
const health = { surface: 'annotation', path: '/health' } as const

/** A trial at a service that gives these answers in turn, and how long was waited. */
function answered(...answers: [status: number, headers?: Record<string, string>][]) {
  const slept: number[] = []
  const left = answers.map(([status, headers = {}]) => ({ status, headers, text: '{}' }))
  const send = async () => left.shift() ?? { status: 500, headers: {}, text: '' }
  const sleep = async (ms: number) => void slept.push(ms)
  return { ...serviceTrial(service, send, sleep), slept }
}

it('a 429 of a service is waited out for as long as it says, and a rule sees the answer after it', async () => {
  const { trial, slept, exchanges } = answered([429, { 'retry-after': '7' }], [429], [200])
  expect((await trial.ask(health)).status).toBe(200)
  expect(slept).toEqual([7000, 2000])
  expect(exchanges).toHaveLength(1)
})

it('a 429 that does not end is the answer', async () => {
  const refusals = Array.from({ length: 6 }, (): [number] => [429])
  expect((await answered(...refusals, [200]).trial.ask(health)).status).toBe(429)
})

it('a key that is not given, and the time and inside of a service, are not to be had', async () => {
  const { trial } = answered([200])
  expect(trial.keys.reader).toBe('sk-reader')
  expect(() => trial.keys.writer).toThrow(new MissingKey('SVC_WRITER_KEY is not set'))
  expect(() => trial.advance).toThrow('cannot be moved')
  expect(() => trial.server).toThrow('cannot be looked into')
})

it('shows requests and responses without keys', async () => {
  const { trial, exchanges } = answered([200, { 'x-echo': 'sk-reader' }])
  await trial.ask({ surface: 'workspace', path: '/projects', body: { name: 'sk-full' } })
  expect(reported(exchanges, service.keys)).toBe(`→ POST /projects (workspace surface)
  authorization: Bearer ‹full key›
  content-type: application/json

  {"name":"‹full key›"}
← 200
  x-echo: ‹reader key›

  {}`)
})
