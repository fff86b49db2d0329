import { caseHead, type Moves } from './case-view.js'
import { rawTurns, wholePage } from './data.js'
import { el } from './element.js'
import type { EmbeddedCase, EmbeddedTurn } from './embedded.js'
import { findingsOf, turnAt } from './findings.js'
import { turnsView } from './turns.js'

/** A transcript that is open. */
export interface OpenCase {
  element: HTMLElement
  /** When its turns are there. */
  ready: Promise<void>
  focusTitle(): void
  /** Goes to the next or previous finding; false where there is none. */
  finding(by: 1 | -1): boolean
}

export function openCase(each: EmbeddedCase, index: number, moves: Moves): OpenCase {
  const head = caseHead(each, moves)
  const body = el('div', { class: 'case-body' })
  const element = el('article', { class: 'open-case', 'aria-labelledby': 'case-title' }, head, body)
  let marks = new Map<number, HTMLElement>()
  let order: number[] = []
  let at = -1

  const go = (place: number) => {
    at = place
    const finding = order[place] ?? 0
    reach(marks.get(finding) ?? element.querySelector<HTMLElement>(`#finding-${finding}`))
  }
  const fill = (turns: readonly EmbeddedTurn[] | undefined) => {
    const view = turns && turnsView(each, turns)
    marks = view?.marks ?? marks
    // Those without a turn stand above the first one.
    const place = (finding: number) => turnAt({ turn: each.signals[finding]?.turn ?? null }, turns?.length ?? 0) ?? -1
    order = [...each.signals.keys()].sort((a, b) => place(a) - place(b))
    body.replaceChildren(
      findingsOf(each, turns?.length, (finding) => go(order.indexOf(finding))),
      el('h3', {}, 'Turns'),
      view?.element ?? el('p', { class: 'soft' }, 'What was sent is not part of this report.'),
    )
  }
  const raw = rawTurns(index)
  const isThere = raw !== undefined || document.readyState !== 'loading'
  if (isThere) fill(parsed(raw))
  else body.append(el('p', { class: 'soft' }, 'The turns are being read …'))
  const ready = isThere ? Promise.resolve() : wholePage().then(() => fill(parsed(rawTurns(index))))

  return {
    element,
    ready,
    focusTitle: () => head.querySelector<HTMLElement>('#case-title')?.focus({ preventScroll: true }),
    finding(by) {
      const next = at === -1 && by < 0 ? order.length - 1 : at + by
      if (next < 0 || next >= order.length) return false
      go(next)
      return true
    },
  }
}

const parsed = (raw: string | undefined): EmbeddedTurn[] | undefined =>
  raw === undefined ? undefined : JSON.parse(raw)

/** Turns that were not seen yet have no size of their own, so that the place is looked for again when they have. */
function reach(target: HTMLElement | null | undefined): void {
  if (!target) return
  target.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'center' })
  requestAnimationFrame(() => target.scrollIntoView({ block: 'center' }))
}
