import { count, escapeLine } from '@svc/text'
import type { EmbeddedCase } from '../src/report/embedded.js'
import type { ReportSignal } from '../src/report/report.js'
import {
  asIs,
  caseTitle,
  evidenceText,
  failingNotes,
  gapTextWithHint,
  placeOf,
  reasonText,
  resultLabels,
} from '../src/report/wording.js'
import { button, changeTag, decoration, div, el, outcomeText, pathText, span } from './element.js'
import { type Group, groupText, memberText } from './groups.js'
import { amount, resultKind } from './words.js'

export type CaseList = ReturnType<typeof caseList>

/** The rows that are shown at first, so that the overview below them is near. */
const atFirst = 50
const inAFrame = 1_000

export function caseList(cases: readonly EmbeddedCase[], onOpen: (index: number) => void) {
  const box = el('ul', { role: 'listbox', 'aria-label': 'Transcripts' })
  const empty = el('p', { class: 'soft empty', hidden: true })
  const more = button({ class: 'more', hidden: true }, () => showRest(), '')
  const element = div('cases', box, empty, more)
  let headings = new Map<number, HTMLElement>()
  const rows = new Map<number, HTMLElement>()
  let order: readonly number[] = []
  let places = new Map<number, number>()
  let [added, active, open]: [number, number | undefined, number | undefined] = [0, undefined, undefined]

  const rowOf = (index: number): HTMLElement => {
    const cached = rows.get(index)
    if (cached) return cached
    const each = cases[index]
    const made = each ? newRow(each, index) : el('li')
    rows.set(index, made)
    return made
  }
  const add = (upTo: number) => {
    box.append(...order.slice(added, upTo).flatMap((index) => [headings.get(index) ?? [], rowOf(index)].flat()))
    added = Math.max(added, Math.min(upTo, order.length))
    more.hidden = added >= order.length
    more.textContent = more.hidden ? '' : `Show all ${count(order.length, 'transcript')}`
  }
  const addRest = (of: readonly number[]) => {
    if (of !== order || added >= order.length) return
    add(added + inAFrame)
    requestAnimationFrame(() => addRest(of))
  }
  const showRest = () => {
    const first = order[added]
    addRest(order)
    if (first !== undefined) reveal(first, true)
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
  // Paper shows all rows, with all that was found.
  addEventListener('beforeprint', () => {
    add(order.length)
    for (const index of order) {
      const [findings, each] = [rowOf(index).querySelector('.found'), cases[index]]
      if (!each || !findings || findings.querySelector('.on-paper')) continue
      for (const finding of findingsOf(each).slice(onScreen)) findings.append(div('on-paper', finding()))
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
      add(atFirst)
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

/** The number of findings that a row shows on a screen. */
const onScreen = 3

/** Why a transcript is not judged or has a failing outcome, the rules that it breaks without a signal, and its signals; those that fail it come first. */
function findingsOf(each: EmbeddedCase): (() => HTMLElement)[] {
  const { gap, reasons, signals } = each
  const notes = failingNotes(each)
  const blamed = new Set(reasons.flatMap((reason) => ('signal' in reason ? [reason.signal] : [])))
  const fired = new Set(signals.map(({ key }) => key))
  const silent = reasons.filter((reason) => 'signal' in reason && !fired.has(reason.signal))
  const sorted = [...signals].sort((a, b) => Number(blamed.has(b.key)) - Number(blamed.has(a.key)))
  return [
    ...(gap ? [() => span('why', escapeLine(gapTextWithHint(gap)))] : []),
    ...(notes === '' ? [] : [() => span('evidence', `“${escapeLine(notes)}”`)]),
    ...silent.map((reason) => () => span('why', reasonText(reason, escapeLine))),
    ...sorted.map((signal) => () => signalRow(signal, blamed.has(signal.key))),
  ]
}

/** One child, because browsers stack the children of an element with a limited number of lines. */
const signalRow = (signal: ReportSignal, isBlamed: boolean): HTMLElement =>
  div(
    'signal-found',
    el(
      'span',
      {},
      span(isBlamed ? 'key blamed' : 'key', decoration('⚑'), escapeLine(signal.key)),
      hasWords(signal) && span('evidence', escapeLine(evidenceText(signal, asIs))),
      signal.turn !== null && span('soft', `turn ${signal.turn}`),
    ),
  )

const hasWords = ({ evidence, message }: ReportSignal): boolean => evidence !== '' || message !== undefined

function newRow(each: EmbeddedCase, index: number): HTMLElement {
  const { result, outcome, name, before, flaky, change } = each
  const about = each.summary?.title ?? ''
  const { word, sign } = resultLabels[result]
  const title = escapeLine(caseTitle(each))
  const moved = before !== null && outcome !== null && before !== outcome
  const findings = findingsOf(each)
  const left = findings.length - onScreen
  return el(
    'li',
    {
      ...{ role: 'option', tabindex: -1, 'aria-selected': 'false', 'data-index': index, class: 'case' },
    },
    el('span', { class: `sign ${resultKind(result)}`, title: word }, decoration(sign, ''), span('unseen', word)),
    div(
      'what',
      span('name', title),
      about !== '' && about !== name && span('about', escapeLine(about)),
      pathText(placeOf(each, each)),
    ),
    div(
      'marks',
      span(
        'became',
        moved && span('before', escapeLine(before), decoration('→')),
        outcome === null ? span('soft', 'no outcome') : outcomeText(outcome),
      ),
      flaky && span('tag flaky', 'flaky'),
      change !== null && change !== 'same' && changeTag(change),
    ),
    findings.length > 0 &&
      div(
        'found',
        ...findings.slice(0, onScreen).map((finding) => finding()),
        left > 0 && span('soft on-screen', `and ${amount(left)} more`),
      ),
  )
}
