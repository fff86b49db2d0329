import { count, escapeLine } from '@svc/text'
import type { EmbeddedReport } from '../src/report/embedded.js'
import { resultLabels } from '../src/report/wording.js'
import { changes, results } from '../src/terms.js'
import { button, decoration, div, el, span } from './element.js'
import { changeOf, type Filter, isAll, type Negatable, orders, pressed, shownAll } from './filter.js'
import { type Grouping, memberText } from './groups.js'
import { amount, resultKind } from './words.js'

export type Controls = ReturnType<typeof controls>

type Option = [value: string, text: string]

export function controls(
  report: EmbeddedReport,
  total: number,
  groupings: readonly Grouping[],
  change: (filter: Partial<Filter>) => void,
  showOverview: () => void,
) {
  let now: Filter | undefined
  const search = el('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Search names, findings and turns  ( / )',
    'aria-label': 'Search names, findings and turns',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  search.addEventListener('input', () => change({ text: search.value }))
  const resultChips = results
    .filter((result) => report.results[result] > 0)
    .map((result) => {
      const { word, sign } = resultLabels[result]
      const press = () => now && change(pressed(now, 'result', result))
      return { result, element: chip(resultKind(result), sign, word, report.results[result], press) }
    })
  const flakyChip =
    report.flaky > 0 && chip('flaky', '~', 'flaky', report.flaky, () => now && change(pressed(now, 'flaky', true)))
  const fields = {
    outcome: select('Outcome', 'any outcome', counted(Object.keys(report.outcomes), report.outcomes, escapeLine)),
    signal: select('Signal', 'any signal', counted(Object.keys(report.signals), report.signals, escapeLine)),
    ...(report.baseline && {
      change: select(
        'Change',
        'any change',
        counted(changes, report.baseline.counts, (each) => each),
      ),
    }),
    order: choice(
      'Order',
      orders.map((order): Option => [order, order]),
    ),
    ...(groupings.length > 0 && {
      group: choice('Group', [['', 'no groups'], ...groupings.map((by): Option => [by, `by ${escapeLine(by)}`])]),
    }),
  }
  for (const [name, field] of Object.entries(fields)) {
    field.addEventListener('change', () => now && change(chosenIn(now, name, field.value)))
  }
  const shownCount = el('p', { role: 'status', class: 'shown-count' })
  const clear = button(
    { class: 'link', hidden: true },
    () => {
      if (now) change(shownAll(now))
      search.focus()
    },
    'Show all',
  )
  const notes = report.notes.length + report.unmatched.length
  const toOverview = button(
    { class: 'link to-overview', title: 'Counts, rates and charts (o)' },
    showOverview,
    `Overview${notes > 0 ? `, ${count(notes, 'note')}` : ''}`,
    decoration(' ↓', ''),
  )
  const element = el(
    'form',
    { class: 'controls', role: 'search', 'aria-label': 'Transcripts' },
    search,
    div('selects', ...Object.values(fields)),
    div(
      'filters',
      el(
        'div',
        { class: 'chips', role: 'group', 'aria-label': 'Result' },
        ...resultChips.map(({ element }) => element),
        flakyChip,
      ),
      div('shown-row', shownCount, clear, toOverview),
    ),
  )
  element.addEventListener('submit', (event) => event.preventDefault())

  const onPaper = el('p', { class: 'on-paper shown-on-paper' })

  return {
    element,
    /** The filter in words, in place of the controls. */
    onPaper,
    search,
    show(filter: Filter, shown: number) {
      now = filter
      if (search.value !== filter.text) search.value = filter.text
      const isNot = (name: string) => (filter.not as readonly string[]).includes(name)
      for (const [name, field] of Object.entries(fields)) {
        const value = String(filter[name as keyof Filter])
        field.value = name === 'order' || name === 'group' ? value : optionValue(value, isNot(name))
      }
      for (const { result, element } of resultChips) press(element, filter.result === result, isNot('result'))
      if (flakyChip) press(flakyChip, filter.flaky, isNot('flaky'))
      const only = [filter.gap, ...(filter.member ? [memberText(filter.member)] : [])].filter(Boolean).join(', ')
      shownCount.textContent = isAll(filter)
        ? count(total, 'transcript')
        : `${shown} of ${count(total, 'transcript')}${only && `: ${only}`}`
      onPaper.textContent = [`${shown} of ${count(total, 'transcript')}`, ...wordsOf(filter)].join(', ')
      clear.hidden = isAll(filter)
    },
  }
}

/** The option of a value, or of all but it: no value begins like an option of another kind. */
const optionValue = (value: string, isNot: boolean): string => value && `${isNot ? '!' : '='}${value}`

const chosenIn = (filter: Filter, name: string, option: string): Partial<Filter> =>
  name === 'order' || name === 'group'
    ? { [name]: option }
    : changeOf(filter, name as Exclude<Negatable, 'flaky'>, option.slice(1) as never, option.startsWith('!'))

const wordsOf = ({ result, outcome, signal, change, flaky, gap, member, text, not }: Filter): string[] =>
  [
    ...Object.entries({
      ...{ result: result && resultLabels[result].word, outcome, signal, change, flaky: flaky ? 'flaky' : '' },
    }).map(([name, word]) => (word !== '' && (not as readonly string[]).includes(name) ? `not ${word}` : word)),
    gap,
    member ? memberText(member) : '',
    text && `with “${text}”`,
  ]
    .filter(Boolean)
    .map(escapeLine)

const chip = (kind: string, sign: string, word: string, n: number, press: () => void): HTMLButtonElement =>
  button(
    { class: 'chip', 'aria-pressed': 'false' },
    press,
    decoration(sign, `glyph ${kind}`),
    el('b', {}, amount(n)),
    ' ',
    span('not'),
    word,
  )

function press(made: HTMLElement, isPressed: boolean, isNot: boolean): void {
  made.setAttribute('aria-pressed', String(isPressed))
  const not = made.querySelector('.not')
  if (not) not.textContent = isPressed && isNot ? 'not ' : ''
}

const counted = <Name extends string>(
  names: readonly Name[],
  counts: Record<string, number>,
  word: (name: Name) => string,
) =>
  names
    .filter((name) => (counts[name] ?? 0) > 0)
    .map((name): Option => [name, `${word(name)} (${amount(counts[name] ?? 0)})`])

function select(label: string, any: string, options: readonly Option[]): HTMLSelectElement {
  const of = (isNot: boolean) =>
    options.map(([value, text]) => optionOf([optionValue(value, isNot), isNot ? `not ${text}` : text]))
  const others = options.length > 0 && el('optgroup', { label: 'all but' }, ...of(true))
  return el('select', { 'aria-label': label }, optionOf(['', any]), ...of(false), others)
}

const choice = (label: string, options: readonly Option[]): HTMLSelectElement =>
  el('select', { 'aria-label': label }, ...options.map(optionOf))

const optionOf = ([value, text]: Option): HTMLElement => el('option', { value }, text)
