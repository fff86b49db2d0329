import { type CheckInput, check, type MatcherOptions, matchers } from '@svc/checks'
import '@svc/checks/vitest'
import { parse } from '@svc/transcripts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const messages = (words: string) => conversation(words) as { role: 'user'; content: string }[]
const said = (words: string): CheckInput => ({
  path: `${words.replaceAll(' ', '-')}.json`,
  transcript: messages(words),
})

function scripted() {
  const { client, fetch, asked, clock } = scriptedShell()
  const options: MatcherOptions = { client: client({ fetch }), annotator: 'structural', clock }
  return { options, asked, until: <Result>(work: Promise<Result>) => clock.until(work) }
}

/** The message of an assertion that does not hold. */
const failure = (assertion: Promise<void>): Promise<string> =>
  assertion.then(
    () => 'it holds',
    (error: Error) => error.message,
  )

describe('toPassChecks', () => {
  it('passes messages, a transcript of parse, and transcripts as check takes them', async () => {
    const { options, asked } = scripted()
    const [parsed] = parse(JSON.stringify(messages('mixed'))).transcripts
    if (!parsed) throw new Error('no transcript')
    await expect(messages('strong')).toPassChecks(options)
    await expect(parsed).toPassChecks(options)
    await expect(said('strong')).toPassChecks(options)
    await expect([said('strong'), said('mixed')]).toPassChecks(options)
    await expect(new Set([said('strong')])).toPassChecks(options)
    expect(asked).toHaveLength(6)
  })

  it('names the test, the outcome and the signal with its turn, as the terminal does', async () => {
    const { options } = scripted()
    const shown = await failure(
      expect(messages('poor loop')).toPassChecks({ ...options, policy: { forbidden: ['loop'] } }),
    )
    const name = 'toPassChecks > names the test, the outcome and the signal with its turn, as the terminal does'
    expect(shown).toBe(
      `expected the transcripts to pass their checks

failed: 1 transcript
  poor  poor loop  ${name}
    the signal loop is forbidden
    ${name}, turn 2  loop  “Well.”

failed: 1 of 1 transcript is poor or worse; 1 of 1 transcript breaks a signal rule`,
    )
  })

  it('names each transcript that fails or is not judged, with its reason and the advice', async () => {
    const { options } = scripted()
    const unread = { path: 'broken.json', error: new Error('no JSON') }
    const shown = await failure(expect([said('poor'), said('strong'), unread]).toPassChecks(options))
    for (const part of ['poor.json', '1 unreadable: no JSON  (broken.json)', '1 of 3 not judged'])
      expect(shown).toContain(part)
    expect(shown).not.toContain('strong.json')
    const typo = await failure(expect(messages('strong')).toPassChecks({ ...options, annotator: 'structual' }))
    expect(typo).toMatch(/could not judge: There is no annotator "structual"\.\n.*structural/s)
  })

  it('holds with not for transcripts that fail, and not for those that are not judged', async () => {
    const { options, until } = scripted()
    await expect(messages('poor')).not.toPassChecks(options)
    expect(await failure(expect(messages('strong')).not.toPassChecks(options))).toBe(
      'expected the transcripts to fail their checks\n\njudged: 1 transcript from 1 file by structural 1.0.0; rules: failOn poor\npassed: no transcript is poor or worse (1 judged)',
    )
    for (const words of ['503', 'indeterminate', 'splendid'])
      for (const assertion of [expect(messages(words)), expect(messages(words)).not])
        expect(await until(failure(assertion.toPassChecks(options)))).toContain('could not judge: ')
    expect(await failure(expect([]).not.toPassChecks(options))).toContain('could not judge: no transcripts')
    expect(await failure(expect([]).toPassChecks(options))).toContain('could not judge: no transcripts')
  })

  it('takes the result of a check without await and without options', async () => {
    const { options } = scripted()
    const passed = await check({ ...options, transcripts: [said('strong')] })
    const failed = await check({ ...options, transcripts: [said('poor')] })
    expect(passed).toPassChecks()
    expect(failed).not.toPassChecks()
    expect(() => expect(failed).toPassChecks()).toThrow('failed: 1 of 1 transcript is poor or worse')
    expect(() => (expect(failed) as { toPassChecks(options: object): void }).toPassChecks(options)).toThrow(
      'expected no options',
    )
    await expect(check({ ...options, transcripts: [said('strong')] })).resolves.toPassChecks()
  })

  it.each([
    ['no options', messages('strong'), undefined, 'check: expected client to be'],
    ['an option that is misspelt', messages('strong'), { polcy: {} }, 'check: unknown option "polcy".'],
    ['a text', 'Hello', {}, 'toPassChecks: expected messages, a transcript'],
    ['nothing', undefined, {}, 'toPassChecks: expected messages, a transcript'],
  ])('throws for %s, with not too', async (_, received, given, message) => {
    const { options } = scripted()
    const all = given && { ...options, ...given }
    const passing = async (not: boolean) => {
      const assertion = expect(received as unknown)
      await (not ? assertion.not : assertion).toPassChecks(all as MatcherOptions)
    }
    await expect(passing(false)).rejects.toThrow(message)
    await expect(passing(true)).rejects.toThrow(message)
  })

  it('is typed by what is expected', () => {
    const ofMessages = expect(messages('strong')).toPassChecks
    expectTypeOf(ofMessages).parameters.toEqualTypeOf<[options: MatcherOptions]>()
    expectTypeOf(ofMessages).returns.toEqualTypeOf<Promise<void>>()
    const ofResult = (result: Awaited<ReturnType<typeof check>>) => expect(result).toPassChecks
    expectTypeOf(ofResult).returns.parameters.toEqualTypeOf<[]>()
    expectTypeOf(ofResult).returns.returns.toEqualTypeOf<void>()
    expect(matchers.toPassChecks).toBeTypeOf('function')
  })
})
