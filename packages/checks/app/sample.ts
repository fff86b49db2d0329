import type { EmbeddedSample } from '../src/labels/words.js'
import { rawTurns, wholePage } from './data.js'
import { button, decoration, div, el } from './element.js'
import type { Action } from './keys.js'
import { labelActions, labelBar, type saveBar } from './label-bar.js'
import type { Labels } from './labels.js'
import { turnsView } from './open-case.js'

/** The transcripts of a sample, one at a time and without anything that shows a verdict. */
export function sampleView({ cases }: EmbeddedSample, labels: Labels, saving: ReturnType<typeof saveBar>) {
  const first = cases.findIndex(({ sha256 }) => !labels.of(sha256))
  let at = Math.max(0, first)
  let bar: ReturnType<typeof labelBar> | undefined
  const title = el('h2', { id: 'case-title', tabindex: -1 })
  const labelled = el('p', { class: 'soft', role: 'status' })
  const body = div('case-body')
  const holder = div('label-holder')
  const element = el(
    'article',
    { class: 'open-case', 'aria-labelledby': 'case-title' },
    div(
      'case-bar',
      button({ class: 'quiet' }, () => step(-1), decoration('↑ '), 'Previous'),
      button({ class: 'quiet' }, () => step(1), decoration('↓ '), 'Next'),
    ),
    el('header', { class: 'case-head' }, title, labelled, holder),
    body,
  )

  const count = () => {
    saving.show()
    const n = cases.filter(({ sha256 }) => labels.of(sha256)).length
    labelled.textContent = `${n} of ${cases.length} labelled`
  }
  const show = () => {
    const each = cases[at]
    if (!each) return
    title.textContent = `Transcript ${at + 1} of ${cases.length}`
    bar = labelBar(labels, each.sha256, count)
    holder.replaceChildren(bar.element)
    count()
    const raw = rawTurns(at)
    body.replaceChildren(...(raw === undefined ? [] : [turnsView({ path: '', signals: [] }, JSON.parse(raw)).element]))
  }
  const step = (by: number) => {
    at = Math.min(cases.length - 1, Math.max(0, at + by))
    show()
    scrollTo(0, 0)
    title.focus({ preventScroll: true })
  }
  const actions: Partial<Record<Action, () => void>> = {
    next: () => step(1),
    previous: () => step(-1),
    ...labelActions((word) => bar?.toggle(word)),
  }
  return {
    element,
    actions,
    start() {
      show()
      void wholePage().then(show)
    },
  }
}
