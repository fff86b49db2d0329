import { count, escapeLine } from '@svc/text'
import type { EmbeddedReport } from '../src/report/embedded.js'
import { resultLabels } from '../src/report/wording.js'
import { changes, results } from '../src/terms.js'
import { button, div, el } from './element.js'
import { type Filter, isAll, orders, shownAll } from './filter.js'
import { type Grouping, memberText } from './groups.js'
import { amount } from './words.js'

export type Controls = ReturnType<typeof controls>

type Option = [value: string, text: string]

export function controls(
  report: EmbeddedReport,
  total: number,
  groupings: readonly Grouping[],
  change: (filter: Partial<Filter>) => void,
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
  const fields = {
    result: select(
      'Result',
      'any result',
      counted(results, report.results, (each) => resultLabels[each].word),
    ),
    outcome: select('Outcome', 'any outcome', counted(Object.keys(report.outcomes), report.outcomes, escapeLine)),
    signal: select('Signal', 'any signal', counted(Object.keys(report.signals), report.signals, escapeLine)),
    ...(report.baseline && {
      change: select(
        'Change',
        'any change',
        counted(changes, report.baseline.counts, (each) => each),
      ),
    }),
    order: select(
      'Order',
      undefined,
      orders.map((order): Option => [order, order]),
    ),
    ...(groupings.length > 0 && {
      group: select(
        'Group',
        'no groups',
        groupings.map((by): Option => [by, `by ${escapeLine(by)}`]),
      ),
    }),
  }
  for (const [name, field] of Object.entries(fields)) {
    field.addEventListener('change', () => change({ [name]: field.value }))
  }
  const flaky = el('input', { type: 'checkbox' })
  flaky.addEventListener('change', () => change({ flaky: flaky.checked }))
  const shownCount = el('p', { role: 'status', class: 'shown-count' })
  const clear = button(
    { class: 'link', hidden: true },
    () => {
      if (now) change(shownAll(now))
      search.focus()
    },
    'Show all',
  )
  const element = el(
    'form',
    { class: 'controls', role: 'search', 'aria-label': 'Transcripts' },
    search,
    div('selects', ...Object.values(fields), report.flaky > 0 && el('label', {}, flaky, ' flaky')),
    div('shown-row', shownCount, clear),
  )
  element.addEventListener('submit', (event) => event.preventDefault())

  return {
    element,
    search,
    show(filter: Filter, shown: number) {
      now = filter
      if (search.value !== filter.text) search.value = filter.text
      for (const [name, field] of Object.entries(fields)) field.value = String(filter[name as keyof Filter])
      flaky.checked = filter.flaky
      const only = [filter.gap, ...(filter.member ? [memberText(filter.member)] : [])].filter(Boolean).join(', ')
      shownCount.textContent = isAll(filter)
        ? count(total, 'transcript')
        : `${shown} of ${count(total, 'transcript')}${only && `: ${only}`}`
      clear.hidden = isAll(filter)
    },
  }
}

const counted = <Name extends string>(
  names: readonly Name[],
  counts: Record<string, number>,
  word: (name: Name) => string,
) =>
  names
    .filter((name) => (counts[name] ?? 0) > 0)
    .map((name): Option => [name, `${word(name)} (${amount(counts[name] ?? 0)})`])

function select(label: string, any: string | undefined, options: readonly Option[]): HTMLSelectElement {
  const all: Option[] = any === undefined ? [...options] : [['', any], ...options]
  return el('select', { 'aria-label': label }, ...all.map(([value, text]) => el('option', { value }, text)))
}
