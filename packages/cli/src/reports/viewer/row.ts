import { inert } from '../../text.js'
import { placeOf } from '../words.js'
import { changeSigns, outcomeText } from './baseline.js'
import { decoration, el } from './element.js'
import type { EmbeddedCase } from './embedded.js'
import { resultKind, resultWords } from './words.js'

/** A transcript in the list: its result, its name and outcome, its place and what else there is to say in a word. */
export function rowOf(each: EmbeddedCase, index: number): HTMLElement {
  const { result, outcome, name, before } = each
  const title = each.summary?.title ?? ''
  const { word, sign } = resultWords[result]
  const moved = before !== null && outcome !== null && before !== outcome
  return el(
    'li',
    { role: 'option', tabindex: -1, 'aria-selected': 'false', 'data-index': index, class: 'case' },
    el(
      'span',
      { class: `sign ${resultKind(result)}`, title: word },
      decoration(sign, ''),
      el('span', { class: 'unseen' }, word),
    ),
    el(
      'span',
      { class: 'line' },
      el(
        'span',
        { class: 'what' },
        el('span', { class: 'name' }, inert(name) || '(no name)'),
        title !== '' && title !== name && el('span', { class: 'title' }, inert(title)),
      ),
      moved && el('span', { class: 'before' }, inert(before), decoration('→')),
      outcome === null ? el('span', { class: 'soft' }, 'no outcome') : outcomeText(outcome),
    ),
    el(
      'span',
      { class: 'line' },
      el('span', { class: 'where' }, el('bdi', {}, inert(placeOf(each, each)))),
      ...tagsOf(each),
    ),
  )
}

const shown = 2

function tagsOf({ signals, flaky, change }: EmbeddedCase): (HTMLElement | false)[] {
  const keys = [...new Set(signals.map(({ key }) => inert(key)))]
  const more = keys.length > shown ? ` +${keys.length - shown}` : ''
  return [
    flaky && el('span', { class: 'tag flaky' }, 'flaky'),
    change !== null && change !== 'same' && changeTag(change),
    keys.length > 0 && el('span', { class: 'fired' }, keys.slice(0, shown).join(', ') + more),
  ]
}

/** How it did against the baseline. */
export const changeTag = (change: keyof typeof changeSigns): HTMLElement =>
  el('span', { class: `tag change-${change}` }, decoration(changeSigns[change]), change)
