import { afterAll, describe, expect, it, type TestContext } from 'vitest'
import { rawNonconformities } from '../conformance.js'
import { rules } from './all.js'
import { hidden, reported } from './exchange.js'
import type { Rule } from './rule.js'
import { serviceOf } from './service.js'
import { MissingKey, serviceTrial } from './service-trial.js'
import { socketSender } from './transports/http.js'

const service = serviceOf(process.env)
if (!service) throw new Error('SVC_BASE_URL is not set.')

const { send, close } = socketSender()
afterAll(close)
const undeclared: string[] = []

/** Why a rule cannot be tried on a service that is there already. */
function reasonToSkip({ reference, options, only }: Rule): string | undefined {
  if (reference || options) return 'needs the reference server'
  return only && !only.transports.includes('http') ? only.because : undefined
}

/** Tries a rule; a failure shows the requests and answers. */
async function tryOn({ bases, keys }: typeof service & object, rule: Rule, { skip }: TestContext): Promise<void> {
  const { trial, exchanges } = serviceTrial({ bases, keys }, send)
  const error: unknown = await rule.run(trial).then(
    () => undefined,
    (thrown) => thrown,
  )
  if (error instanceof MissingKey) skip(error.message)
  for (const { answer, ...asked } of exchanges) {
    if (answer) undeclared.push(...rawNonconformities({ ...asked, ...answer }).map((text) => `${rule.name}: ${text}`))
  }
  if (error === undefined) return
  if (!(error instanceof Error)) throw error
  error.message = `${hidden(error.message, keys)}\n\n${rule.source}\n\n${reported(exchanges, keys)}\n`
  throw error
}

describe(service.bases.baseUrl, () => {
  for (const rule of rules) {
    const reason = reasonToSkip(rule)
    if (reason) it.skip(`${rule.name} (not run: ${reason})`)
    else it(rule.name, (context) => tryOn(service, rule, context))
  }

  it('answers as the spec declares', () => expect(undeclared).toEqual([]))
})
