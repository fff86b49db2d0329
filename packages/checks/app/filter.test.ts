import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { embedded } from '../src/report/embedded.js'
import { caseOf, failedCase, missingCase } from '../test/fixtures/cases.js'
import { changeOf, chosen, type Filter, noFilter, pressed, turnsHold } from './filter.js'

const cases = [
  caseOf({ name: 'Order 7', usage: { tokens_in: 1, tokens_out: 1, latency_ms: 900 } }),
  missingCase({ name: 'Order 8' }),
  failedCase({ name: 'Refund', change: 'worse', flaky: true, usage: { tokens_in: 90, tokens_out: 9, latency_ms: 20 } }),
]
const said = (role: string, content: string) => embedded([[role, content, 1, 1]])
const turns = [said('user', 'Where is my <b>Parcel</b>?'), undefined, said('assistant', 'No.')]
const shown = (filter: Partial<Filter>) =>
  chosen(cases, { ...noFilter, order: 'as in the input', ...filter }, (index) => turns[index])

describe('a filter', () => {
  it.each<[Partial<Filter>, number[]]>([
    [{}, [0, 1, 2]],
    [{ result: 'not judged' }, [1]],
    [{ outcome: 'poor' }, [2]],
    [{ signal: 'unresolved' }, [2]],
    [{ change: 'worse' }, [2]],
    [{ flaky: true }, [2]],
    [{ gap: 'not annotated' }, [1]],
    [{ member: { by: 'folder', value: 'conversations' } }, [0, 1, 2]],
    [{ member: { by: 'tag team', value: 'a' } }, []],
    [{ result: 'failed', outcome: 'strong' }, []],
    [{ result: 'failed', not: ['result'] }, [0, 1]],
    [{ outcome: 'poor', not: ['outcome'] }, [0, 1]],
    [{ signal: 'unresolved', not: ['signal'] }, [0, 1]],
    [{ change: 'worse', not: ['change'] }, [0, 1]],
    [{ flaky: true, not: ['flaky'] }, [0, 1]],
    [{ result: 'not judged', outcome: 'poor', not: ['result', 'outcome'] }, [0]],
  ])('a filter of %j lets through what it names', (filter, expected) => {
    expect(shown(filter)).toEqual(expected)
  })

  it('a button selects its value, then all but its value, then everything', () => {
    const steps = [noFilter]
    for (let press = 0; press < 3; press++)
      steps.push({ ...(steps.at(-1) ?? noFilter), ...pressed(steps.at(-1) ?? noFilter, 'result', 'failed') })
    expect(steps.map(({ result, not }) => [result, not])).toEqual([
      ['', []],
      ['failed', []],
      ['failed', ['result']],
      ['', []],
    ])
  })

  it('a negated field stays negated while another one changes, until its value is chosen again or removed', () => {
    const filter: Filter = { ...noFilter, ...changeOf(noFilter, 'outcome', 'poor', true) }
    expect(changeOf(filter, 'signal', 'loop', false)).toEqual({ signal: 'loop', not: ['outcome'] })
    expect(changeOf(filter, 'outcome', 'mixed', false)).toEqual({ outcome: 'mixed', not: [] })
    expect(changeOf(filter, 'outcome', '', true)).toEqual({ outcome: '', not: [] })
  })

  it.each<[string, string, number[]]>([
    ['a name', 'REFUND', [2]],
    ['evidence', 'cannot help', [2]],
    ['a reason not to be judged', '503', [1]],
    ['a turn', 'parcel', [0]],
    ['markup in a turn', '<b>parcel', [0]],
    ['every word, in whatever order', '7 order', [0]],
    ['a word of which one is missing', 'order parrot', []],
    ['no role', 'assistant', []],
  ])('searches: %s', (_, text, expected) => {
    expect(shown({ text })).toEqual(expected)
  })

  it.each<[Filter['order'], number[]]>([
    ['worst first', [2, 1, 0]],
    ['slowest first', [0, 2, 1]],
    ['most tokens first', [2, 0, 1]],
  ])('a filter can order: %s', (order, expected) => {
    expect(shown({ order })).toEqual(expected)
  })

  it.each<Filter['order']>(['slowest first', 'most tokens first'])('puts unknown usage last: %s', (order) => {
    const unknown = caseOf({ usage: { tokens_in: null, tokens_out: 4, latency_ms: null } })
    const known = caseOf({ usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 } })
    expect(chosen([unknown, known], { ...noFilter, order }, () => undefined)).toEqual([1, 0])
  })

  it('puts the worse of two that failed first', () => {
    const failed = [failedCase(), failedCase({ outcome: 'critical' }), failedCase({ outcome: 'mixed' })]
    expect(chosen(failed, { ...noFilter, order: 'worst first' }, () => undefined)).toEqual([1, 0, 2])
  })

  it('finds the text of turns, in any encoding in the page', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        'n',
        ' ',
        '<',
        '"',
        '\\',
        '\n',
        '\u202e',
        '\u2028',
        '\ud800',
        '\u0000',
        'É',
        '😀',
      ),
    })
    fc.assert(
      fc.property(text, text, text, (before, term, after) => {
        fc.pre(term !== '' && (before + term + after).toLowerCase().includes(term.toLowerCase()))
        const raw = embedded([['user', before + term + after, 1, 1]])
        expect(turnsHold(raw, term.toLowerCase())).toBe(true)
      }),
    )
  })
})
