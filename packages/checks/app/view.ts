import type { EmbeddedCase, EmbeddedReport } from '../src/report/embedded.js'
import { addressOf, linkOf, readAddress } from './address.js'
import { type Controls, controls } from './controls.js'
import { rawTurns } from './data.js'
import { div, el } from './element.js'
import { chosen, type Filter, noFilter, shownAll, termsOf } from './filter.js'
import { groupings, groupsOf } from './groups.js'
import type { Action } from './keys.js'
import { labelActions, labelBar, type saveBar } from './label-bar.js'
import type { Labels } from './labels.js'
import { type CaseList, caseList } from './list.js'
import { type OpenCase, openCase } from './open-case.js'
import { overview } from './overview.js'

/** The place of the focus after a transcript opens. */
type Then = 'title' | 'list' | 'first finding' | 'last finding'

export function view(
  report: EmbeddedReport,
  cases: readonly EmbeddedCase[],
  labels: Labels,
  saving: ReturnType<typeof saveBar>,
) {
  let filter = noFilter
  let open: { index: number; shown: OpenCase; bar: ReturnType<typeof labelBar> | undefined } | undefined
  let scrolled = 0
  const ways = groupings(report, cases)
  const said = el('p', { role: 'status', class: 'unseen' })
  const lost = el(
    'p',
    { role: 'alert', class: 'warning lost', hidden: true },
    'The link leads to a transcript that is not in this report.',
  )
  const list: CaseList = caseList(cases, (index) => show(index, 'title'))
  const bar: Controls = controls(report, cases.length, ways, change, toOverview)
  const whole = overview(report, cases, (more) => {
    change({ ...shownAll(filter), ...more })
    element.scrollIntoView()
    const [first] = list.order()
    if (first !== undefined) list.activate(first, true)
  })
  const pane = div('pane')
  const side = el(
    'section',
    { class: 'side', 'aria-labelledby': 'list-title' },
    el('h2', { id: 'list-title', class: 'unseen' }, 'Transcripts'),
    ...[bar.element, bar.onPaper, lost, list.element],
  )
  const element = div('columns', side, pane, whole, said)
  element.dataset.shown = 'list'
  const write = addressBar(route)

  function change(more: Partial<Filter>) {
    // A text that goes on is not another step of the history.
    const goesOn = more.text !== undefined && more.text !== '' && filter.text !== ''
    apply({ ...filter, ...more })
    writeAddress(goesOn)
  }

  function apply(next: Filter) {
    filter = next
    const order = chosen(cases, filter, rawTurns)
    list.show(filter.group === '' ? order : groupsOf(cases, order, filter.group, { once: true }))
    bar.show(filter, order.length)
    if (open) markSearch(open.shown.element, filter.text)
  }

  function writeAddress(replaces: boolean) {
    lost.hidden = true
    write(addressOf(filter, open && cases[open.index]), replaces)
  }

  /** A transcript that is opened directly is a step of the browser's history; stepping to the next one is not. */
  function show(index: number, then: Then) {
    const wasOpen = open !== undefined
    display(index, then)
    writeAddress(wasOpen)
  }

  function display(index: number, then: Then) {
    const each = cases[index]
    if (!each) return
    if (!open) scrolled = scrollY
    const link = () => `${pageAddress()}#${new URLSearchParams([linkOf(each)])}`
    const bar = each.sha256 === null ? undefined : labelBar(labels, each.sha256, saving.show)
    const shown = openCase(each, index, { close, step, link }, bar?.element)
    open = { index, shown, bar }
    pane.replaceChildren(shown.element)
    element.dataset.shown = 'case'
    list.activate(index, then === 'list')
    list.opened(index)
    scrollTo(0, Math.min(scrollY, element.offsetTop))
    void shown.ready.then(() => markSearch(shown.element, filter.text))
    if (then === 'title') shown.focusTitle()
    if (then.endsWith('finding'))
      void shown.ready.then(() => open?.shown === shown && shown.finding(then === 'first finding' ? 1 : -1))
  }

  function close() {
    hide()
    writeAddress(false)
  }

  function hide() {
    if (!open) return
    const { index } = open
    open = undefined
    pane.replaceChildren()
    element.dataset.shown = 'list'
    list.opened(undefined)
    scrollTo(0, scrolled)
    list.activate(index, true)
  }

  function toOverview() {
    if (open) close()
    whole.scrollIntoView()
    whole.focus({ preventScroll: true })
  }

  /** Show what the address says. */
  function route() {
    const address = readAddress(location.hash, cases, ways)
    apply(address.filter)
    lost.hidden = !address.isLost
    if (address.open === undefined) hide()
    else if (address.open !== open?.index) display(address.open, 'title')
  }

  const isInList = () => list.element.contains(document.activeElement)

  function step(by: number) {
    const isFirst = !open && !isInList()
    const index = isFirst ? list.active() : list.further(by)
    if (index === undefined) return
    if (open) show(index, isInList() ? 'list' : 'title')
    else list.activate(index, true)
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
      bar.search.focus()
      bar.search.select()
    },
    'next finding': () => finding(1),
    'previous finding': () => finding(-1),
    overview: toOverview,
    ...labelActions((word) => open?.bar?.toggle(word)),
  }
  return {
    element,
    actions,
    start: route,
  }
}

const pageAddress = (): string => location.href.split('#')[0] ?? ''

/** A function that writes the fragment of the address; `onChange` is called when somebody else does. */
function addressBar(onChange: () => void): (fragment: string, replaces: boolean) => void {
  let later: ReturnType<typeof setTimeout> | undefined
  addEventListener('hashchange', () => {
    clearTimeout(later)
    onChange()
  })
  return (fragment, replaces) => {
    clearTimeout(later)
    if (location.hash === fragment) return
    const url = pageAddress() + fragment
    // Browsers refuse many changes in a short time, as by a key that is held down.
    if (replaces) later = setTimeout(() => history.replaceState(null, '', url), 200)
    else history.pushState(null, '', url)
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
