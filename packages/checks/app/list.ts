import { escapeLine } from '@svc/text'
import type { EmbeddedCase } from '../src/report/embedded.js'
import { asIs, evidenceText, gapText, placeOf, reasonText, resultLabels } from '../src/report/wording.js'
import { changeTag, decoration, div, el, list, outcomeText, pathText, span } from './element.js'
import { type Group, groupText, memberText } from './groups.js'
import { resultKind } from './words.js'

export type CaseList = ReturnType<typeof caseList>

/** Fills a screen. */
const atOnce = 200
const inAFrame = 1_000

export function caseList(cases: readonly EmbeddedCase[], onOpen: (index: number) => void) {
  const box = el('ul', { role: 'listbox', 'aria-label': 'Transcripts' })
  const empty = el('p', { class: 'soft empty', hidden: true })
  const element = div('cases', box, empty)
  let headings = new Map<number, HTMLElement>()
  const rows = new Map<number, HTMLElement>()
  let order: readonly number[] = []
  let places = new Map<number, number>()
  let [added, active, open]: [number, number | undefined, number | undefined] = [0, undefined, undefined]

  const rowOf = (index: number): HTMLElement => {
    const known = rows.get(index)
    if (known) return known
    const each = cases[index]
    const made = each ? newRow(each, index) : el('li')
    rows.set(index, made)
    return made
  }
  const add = (upTo: number) => {
    box.append(...order.slice(added, upTo).flatMap((index) => [headings.get(index) ?? [], rowOf(index)].flat()))
    added = Math.max(added, Math.min(upTo, order.length))
  }
  const addRest = (of: readonly number[]) => {
    if (of !== order || added >= order.length) return
    add(added + inAFrame)
    requestAnimationFrame(() => addRest(of))
  }
  const mark = (index: number | undefined) => {
    if (active !== undefined) rows.get(active)?.setAttribute('tabindex', '-1')
    active = index
    if (index !== undefined) rowOf(index).setAttribute('tabindex', '0')
  }
  const markOpen = (index: number | undefined) => {
    if (open !== undefined) rows.get(open)?.setAttribute('aria-selected', 'false')
    open = index
    if (index !== undefined) rowOf(index).setAttribute('aria-selected', 'true')
  }
  const reveal = (index: number, focus: boolean) => {
    add((places.get(index) ?? 0) + 1)
    mark(index)
    if (focus) rowOf(index).focus()
    else rowOf(index).scrollIntoView({ block: 'nearest' })
  }
  box.addEventListener('click', ({ target }) => {
    const at = target instanceof Element ? target.closest<HTMLElement>('[role=option]')?.dataset.index : undefined
    if (at !== undefined) onOpen(Number(at))
  })
  box.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.dataset.index !== undefined) mark(Number(target.dataset.index))
  })
  // Paper shows all rows, with what was found.
  addEventListener('beforeprint', () => {
    add(order.length)
    for (const index of order) {
      const [row, each] = [rowOf(index), cases[index]]
      if (each && !row.querySelector('.on-paper')) row.append(list(foundIn(each), 'on-paper'))
    }
  })

  return {
    element,
    /** Show these transcripts, or these groups with a heading each. */
    show(shown: readonly number[] | readonly Group[]) {
      const next = shown.flatMap((each) => (typeof each === 'number' ? [each] : each.indices))
      headings = new Map(shown.flatMap((each) => (typeof each === 'number' ? [] : headingOf(each))))
      order = next
      places = new Map(next.map((index, place) => [index, place]))
      added = 0
      const hadFocus = box.contains(document.activeElement)
      box.replaceChildren()
      box.hidden = next.length === 0
      empty.hidden = next.length > 0
      empty.textContent = cases.length === 0 ? 'No transcript was checked.' : 'No transcript matches.'
      add(atOnce)
      requestAnimationFrame(() => addRest(next))
      if (active === undefined || !places.has(active)) mark(next[0])
      if (hadFocus && active !== undefined) reveal(active, true)
    },
    /** The index from which the arrow keys move. */
    active: () => active,
    activate: reveal,
    /** The index that many steps further, within the list. */
    further(steps: number) {
      const from = active === undefined ? undefined : places.get(active)
      return order[Math.min(order.length - 1, Math.max(0, from === undefined ? 0 : from + steps))]
    },
    opened: markOpen,
    order: () => order,
  }
}

const headingOf = (group: Group): [first: number, heading: HTMLElement][] =>
  group.indices
    .slice(0, 1)
    .map((first) => [
      first,
      el('li', { role: 'presentation', class: 'group' }, pathText(memberText(group)), span('soft', groupText(group))),
    ])

const foundIn = (each: EmbeddedCase): string[] => [
  ...each.reasons.map((reason) => reasonText(reason, escapeLine)),
  ...(each.gap ? [gapText(each.gap, escapeLine)] : []),
  ...each.signals.map((signal) =>
    escapeLine(
      `${signal.turn === null ? placeOf(each, signal) : `turn ${signal.turn}`}: ${signal.key}: ${evidenceText(signal, asIs)}`,
    ),
  ),
]

function newRow(each: EmbeddedCase, index: number): HTMLElement {
  const { result, outcome, name, before } = each
  const title = each.summary?.title ?? ''
  const { word, sign } = resultLabels[result]
  const moved = before !== null && outcome !== null && before !== outcome
  return el(
    'li',
    { role: 'option', tabindex: -1, 'aria-selected': 'false', 'data-index': index, class: 'case' },
    el('span', { class: `sign ${resultKind(result)}`, title: word }, decoration(sign, ''), span('unseen', word)),
    span(
      'line',
      span(
        'what',
        span('name', escapeLine(name) || '(no name)'),
        title !== '' && title !== name && span('title', escapeLine(title)),
      ),
      moved && span('before', escapeLine(before), decoration('→')),
      outcome === null ? span('soft', 'no outcome') : outcomeText(outcome),
    ),
    span('line', pathText(placeOf(each, each)), ...tagsOf(each)),
  )
}

const shown = 2

function tagsOf({ signals, flaky, change }: EmbeddedCase): (HTMLElement | false)[] {
  const keys = [...new Set(signals.map(({ key }) => escapeLine(key)))]
  const more = keys.length > shown ? ` +${keys.length - shown}` : ''
  return [
    flaky && span('tag flaky', 'flaky'),
    change !== null && change !== 'same' && changeTag(change),
    keys.length > 0 && span('fired', keys.slice(0, shown).join(', ') + more),
  ]
}
