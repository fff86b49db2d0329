import { defaultAmbiguities } from '@svc/reference-server/core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { rawNonconformities } from '../../helpers/conformance.js'
import { isLong } from '../../helpers/long.js'
import { rules } from './rules/all.js'
import type { Rule } from './rules/rule.js'
import { differences, notOver, runRule, type Tried } from './rules/run-rule.js'
import { direct } from './rules/transports/direct.js'
import { http } from './rules/transports/http.js'
import { mswServer } from './rules/transports/setup-server.js'
import type { Transport } from './rules/transports/transport.js'

const faultHeader = 'svc-fault'
const tried = new Map<Rule, Map<string, Tried>>(rules.map((rule) => [rule, new Map()]))

declare module 'vitest' {
  interface ProvidedContext {
    /** Mutation testing runs the rules over one transport, for its many runs. */
    rulesOverOne: boolean
  }
}
const transports = inject('rulesOverOne') ? [direct] : [direct, mswServer, http]

/** Rules that name no transports go over the first one, and every fourth of them over each other one; all in the long form. */
const [first, ...others] = transports
const isRun = (rule: Rule, index: number, transport: Transport) =>
  isLong || rule.only !== undefined || transport === first || transport === others[index % 4]

describe.each(transports)('over $name', (transport) => {
  beforeAll(async () => void (await transport.start?.()))
  afterAll(async () => void (await transport.stop?.()))

  for (const [index, rule] of rules.entries()) {
    if (!isRun(rule, index, transport)) continue
    const because = notOver(rule, transport)
    if (because) it.skip(`${rule.name} (not here: ${because})`)
    else
      it(rule.name, async () => {
        const result = await runRule(rule, transport)
        tried.get(rule)?.set(transport.name, result)
        if ('error' in result) throw result.error
      })
  }
})

describe('the rules', () => {
  it('the rules have names of their own', () => {
    const names = rules.map(({ name }) => name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('the rules are given the same answers over every transport', () => {
    const found = [...tried].flatMap(([{ name }, results]) => {
      const [[first, { exchanges = [] } = {}] = ['', undefined], ...others] = results
      return others.flatMap(([transport, other]) =>
        differences(exchanges, other.exchanges).map((text) => `${name} (${first}, ${transport}): ${text}`),
      )
    })
    expect(found).toEqual([])
  })

  it('the rules are given answers that the spec declares, but where they ask for faults', () => {
    const found = [...tried].flatMap(([{ name, options }, results]) =>
      (options?.faults ? [] : [...results.values()])
        .flatMap(({ exchanges }) => exchanges)
        .flatMap(({ answer, ...asked }) =>
          answer && !(faultHeader in asked.headers)
            ? rawNonconformities({ ...asked, ...answer }, { ...defaultAmbiguities, ...options?.ambiguities })
            : [],
        )
        .map((text) => `${name}: ${text}`),
    )
    expect([...new Set(found)]).toEqual([])
  })
})
