import type { EmbeddedCase, EmbeddedReport } from '../src/report/embedded.js'
import { type Controls, controls } from './controls.js'
import { rawTurns } from './data.js'
import { button, div, el } from './element.js'
import { chosen, type Filter, noFilter, shownAll, termsOf } from './filter.js'
import { groupings, groupsOf } from './groups.js'
import type { Action } from './keys.js'
import { type CaseList, caseList } from './list.js'
import { type OpenCase, openCase } from './open-case.js'
import { overview } from './overview.js'

/** The place of the focus after a transcript opens. */
type Then = 'title' | 'list' | 'first finding' | 'last finding'

export function view(report: EmbeddedReport, cases: readonly EmbeddedCase[]) {
  let filter = noFilter
  let open: { index: number; shown: OpenCase } | undefined
  const said = el('p', { role: 'status', class: 'unseen' })
  const list: CaseList = caseList(cases, (index) => show(index, 'title'))
  const change = (more: Partial<Filter>) => {
    filter = { ...filter, ...more }
    const order = chosen(cases, filter, rawTurns)
    list.show(filter.group === '' ? order : groupsOf(cases, order, filter.group, { once: true }))
    bar.show(filter, order.length)
    if (open) markSearch(open.shown.element, filter.text)
  }
  const bar: Controls = controls(report, cases.length, groupings(report, cases), change)
  const whole = overview(report, cases, (more) => {
    change({ ...shownAll(filter), ...more })
    turnTo('list')
    const [first] = list.order()
    if (first !== undefined) list.activate(first, true)
  })
  const pane = div('pane', whole)
  const side = el(
    'section',
    { class: 'side', 'aria-labelledby': 'list-title' },
    el('h2', { id: 'list-title', class: 'unseen' }, 'Transcripts'),
    bar.element,
    list.element,
  )
  const tabs = {
    overview: button({ class: 'tab' }, () => turnTo('overview'), 'Overview'),
    list: button({ class: 'tab' }, () => turnTo('list'), 'Transcripts'),
  }
  const element = div('columns', div('tabs', ...Object.values(tabs)), side, pane, said)

  /** A narrow screen shows one of both. */
  function turnTo(shown: keyof typeof tabs) {
    element.dataset.shown = shown
    for (const [name, tab] of Object.entries(tabs)) tab.setAttribute('aria-pressed', String(name === shown))
  }

  function show(index: number, then: Then) {
    const each = cases[index]
    if (!each) return
    const wasOpen = open !== undefined
    const shown = openCase(each, index, { close, step })
    open = { index, shown }
    pane.replaceChildren(shown.element)
    pane.scrollTop = 0
    element.dataset.shown = 'case'
    list.activate(index, then === 'list')
    list.opened(index)
    goTo(`#${index + 1}`, wasOpen)
    void shown.ready.then(() => markSearch(shown.element, filter.text))
    if (then === 'title') shown.focusTitle()
    if (then.endsWith('finding'))
      void shown.ready.then(() => open?.shown === shown && shown.finding(then === 'first finding' ? 1 : -1))
  }

  function close() {
    if (!open) return
    const { index } = open
    open = undefined
    pane.replaceChildren(whole)
    turnTo('list')
    list.opened(undefined)
    goTo('#', false)
    list.activate(index, true)
  }

  /** A transcript that is opened directly is a step of the browser's history; stepping to the next one is not. */
  function goTo(hash: string, replaces: boolean) {
    if ((location.hash || '#') === hash) return
    if (replaces) location.replace(hash)
    else location.hash = hash
  }

  const isInList = () => list.element.contains(document.activeElement)

  function step(by: number) {
    const isFirst = !open && !isInList()
    const index = isFirst ? list.active() : list.further(by)
    if (index === undefined) return
    if (open) show(index, isInList() ? 'list' : 'title')
    else {
      turnTo('list')
      list.activate(index, true)
    }
  }

  function finding(by: 1 | -1) {
    if (open?.shown.finding(by)) return
    const order = list.order()
    const active = list.active()
    const from = open && active !== undefined ? order.indexOf(active) + by : by > 0 ? 0 : order.length - 1
    for (let at = from; at >= 0 && at < order.length; at += by) {
      const index = order[at] ?? 0
      if (cases[index]?.signals.length) return show(index, by > 0 ? 'first finding' : 'last finding')
    }
    said.textContent = said.textContent === 'No further finding.' ? 'No further finding' : 'No further finding.'
  }

  function leave() {
    if (document.activeElement === bar.search) return step(0)
    if (open) return close()
    change(shownAll(filter))
  }

  function route() {
    const index = Number(/^#(\d+)$/.exec(location.hash)?.[1]) - 1
    if (cases[index]) {
      if (open?.index !== index) show(index, 'title')
    } else close()
  }

  addEventListener('hashchange', route)
  // Paper has nothing to unfold.
  const unfolded: HTMLDetailsElement[] = []
  addEventListener('beforeprint', () => {
    unfolded.push(
      ...element.querySelectorAll<HTMLDetailsElement>('details.panel:not([open]), details.annotation:not([open])'),
    )
    for (const each of unfolded) each.open = true
  })
  addEventListener('afterprint', () => {
    for (const each of unfolded.splice(0)) each.open = false
  })
  const actions: Record<Exclude<Action, 'help' | 'theme'>, () => void> = {
    next: () => step(1),
    previous: () => step(-1),
    first: () => step(-cases.length),
    last: () => step(cases.length),
    'page down': () => step(10),
    'page up': () => step(-10),
    close: leave,
    open: () => {
      const index = list.active()
      if (index !== undefined) show(index, 'title')
    },
    search: () => {
      if (open && matchMedia('(max-width: 55.99rem)').matches) close()
      if (!open) turnTo('list')
      bar.search.focus()
      bar.search.select()
    },
    'next finding': () => finding(1),
    'previous finding': () => finding(-1),
  }
  return {
    element,
    actions,
    /** Show the transcript in the address. */
    start() {
      turnTo('overview')
      change({})
      route()
    },
  }
}

const most = 1_000

/** Highlight the search terms, in browsers that can do so without changing the text. */
function markSearch(inside: Element, search: string): void {
  if (typeof Highlight === 'undefined') return
  const terms = termsOf(search)
  const ranges: AbstractRange[] = []
  const texts = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node && terms.length > 0 && ranges.length < most; node = texts.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    // Lower case may change the length of a letter, and so all later offsets.
    if (text.length !== node.textContent?.length) continue
    for (const term of terms) {
      for (let at = text.indexOf(term); at >= 0 && ranges.length < most; at = text.indexOf(term, at + term.length)) {
        const [startContainer, endContainer] = [node, node]
        ranges.push(new StaticRange({ startContainer, startOffset: at, endContainer, endOffset: at + term.length }))
      }
    }
  }
  CSS.highlights.set('search', new Highlight(...ranges))
}
