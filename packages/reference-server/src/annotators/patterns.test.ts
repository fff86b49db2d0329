import { expect, test } from 'vitest'
import type { Judgement } from './annotator.js'
import { patterns } from './patterns.js'

async function judge(...lines: [role: string, content: string][]): Promise<Judgement> {
  const transcript = lines.map(([role, content]) => ({ role, content }))
  const context = { clock: { now: () => 0 }, signal: new AbortController().signal }
  return patterns.annotate({ transcript, annotator: 'patterns' }, context)
}

test.each([
  ['user', 'Come on. This is ridiculous!', 'user_frustration', 'This is ridiculous!', 'poor'],
  ['user', 'I already told you my name', 'user_frustration', 'I already told you my name', 'poor'],
  ['user', 'No. That’s not what I asked.', 'user_correction', 'That’s not what I asked.', 'mixed'],
  ['user', 'Let me speak to a real human', 'escalation_request', 'Let me speak to a real human', 'poor'],
  ['user', 'It is still not working.', 'unresolved_request', 'It is still not working.', 'poor'],
  ['assistant', "Sure. But I can't help with that.", 'refusal', "But I can't help with that.", 'mixed'],
  ['user', 'thanks a lot', 'user_thanks', 'thanks a lot', 'strong'],
])('%s: %j fires %s', async (role, content, key, evidence, outcome) => {
  expect(await judge(['user', 'Hello'], [role, content])).toMatchObject({
    outcome,
    signals: { [key]: { evidence, turn: 2 } },
  })
})

test.each(['This is red', 'I am useful', 'The manager of my hotel', 'Human rights', 'No, thank goodness'])(
  'a user who says %j fires nothing',
  async (content) => {
    expect((await judge(['user', content])).signals).toEqual({})
  },
)

test('matches a phrase only in the turns of its speaker', async () => {
  expect((await judge(['assistant', 'This is ridiculous'], ['user', 'I cannot help with that'])).signals).toEqual({})
})

test('apologies fire from the third turn on', async () => {
  const sorry: [string, string] = ['assistant', "I'm sorry about that."]
  expect((await judge(sorry, sorry)).signals).toEqual({})
  expect((await judge(sorry, sorry, sorry)).signals).toEqual({
    apology_loop: { evidence: "I'm sorry about that.", turn: 1 },
  })
})

test('rates two grave signals as critical, with or without thanks', async () => {
  expect((await judge(['user', 'This is unacceptable. Transfer me! Thank you.'])).outcome).toBe('critical')
})

test('silence is indeterminate', async () => {
  expect((await judge()).outcome).toBe('indeterminate')
  expect((await judge(['user', '  '])).outcome).toBe('indeterminate')
})

test('searches a megabyte of near misses quickly', async () => {
  const startedAt = performance.now()
  await judge(['user', 'speak to a a a the '.repeat(50_000)], ['assistant', 'i am so so very '.repeat(50_000)])
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

test('evidence from a long text is bounded, contains the words, and cuts no pair in two', async () => {
  const text = `${'😀'.repeat(300)} this is useless ${'😀'.repeat(300)}`
  const evidence = (await judge(['user', text])).signals.user_frustration?.evidence ?? ''
  expect(evidence.length).toBeLessThanOrEqual(200)
  expect(evidence).toContain('this is useless')
  expect(text).toContain(evidence)
  expect(() => encodeURIComponent(evidence)).not.toThrow()
})
