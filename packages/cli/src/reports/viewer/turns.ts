import { inert } from '../../text.js'
import { placeOf } from '../words.js'
import { button, decoration, el } from './element.js'
import type { EmbeddedCase, EmbeddedTurn } from './embedded.js'
import { turnAt } from './findings.js'
import { highlight } from './highlight.js'
import { placeText } from './place.js'
import { amount } from './words.js'

/** The turns of a transcript, and where each finding is seen in them, if it is. */
export interface Turns {
  element: HTMLElement
  marks: Map<number, HTMLElement>
}

export function turnsView(each: EmbeddedCase, turns: readonly EmbeddedTurn[]): Turns {
  const marks = new Map<number, HTMLElement>()
  const findings = each.signals.map((signal, finding) => ({
    finding,
    at: turnAt(signal, turns.length),
    text: signal.evidence,
  }))
  const rows = turns.map((turn, at) => {
    const own = findings.filter((finding) => finding.at === at)
    return turnRow(each, turn, at, own, marks)
  })
  return { element: el('ol', { class: 'turns' }, ...rows), marks }
}

function turnRow(
  each: EmbeddedCase,
  [role, content, line, column]: EmbeddedTurn,
  at: number,
  findings: readonly { finding: number; text: string }[],
  marks: Map<number, HTMLElement>,
): HTMLElement {
  const { segments, whole } = highlight(content, findings)
  const key = (finding: number) => inert(each.signals[finding]?.key ?? '')
  const body = el('div', { class: 'content', dir: 'auto' })
  for (const segment of segments) {
    if (segment.findings.length === 0) body.append(segment.text)
    else {
      const mark = el('mark', { tabindex: -1, title: segment.findings.map(key).join(', ') }, segment.text)
      for (const finding of segment.findings) if (!marks.has(finding)) marks.set(finding, mark)
      body.append(mark)
    }
  }
  if (content === '') body.append(el('span', { class: 'soft' }, '(empty)'))
  const tags = findings.map(({ finding }) =>
    el(
      'span',
      { class: 'key' },
      decoration('⚑'),
      key(finding),
      whole.includes(finding) && el('span', { class: 'soft' }, ' (this turn as a whole)'),
    ),
  )
  const row = el(
    'li',
    { class: `turn ${kindOf(role)}${whole.length > 0 ? ' whole' : ''}`, ...(whole.length > 0 && { tabindex: -1 }) },
    el(
      'div',
      { class: 'turn-head' },
      el('span', { class: 'nr' }, String(at + 1)),
      el('b', { class: 'role' }, inert(role)),
      ...tags,
      line !== null && placeText(placeOf(each, { line, column }), { short: true }),
    ),
    body,
  )
  if (content.length > longest && findings.length === 0) shorten(row, body, content.length)
  for (const finding of whole) marks.set(finding, row)
  return row
}

/** What a tool said may be much longer than what is read of it. */
const longest = 3_000

function shorten(row: HTMLElement, body: HTMLElement, length: number): void {
  body.classList.add('cut')
  const words = `Show all ${amount(length)} characters`
  const all = button(
    { class: 'link', 'aria-expanded': 'false' },
    () => {
      const isCut = body.classList.toggle('cut')
      all.setAttribute('aria-expanded', String(!isCut))
      all.textContent = isCut ? words : 'Show less'
    },
    words,
  )
  row.append(all)
}

const kinds = ['user', 'assistant', 'system', 'tool']

const kindOf = (role: string): string => (kinds.includes(role) ? role : 'other')
