import type { Change } from '../terms.js'
import { inert } from '../text.js'
import { outcomeKind, outcomeSign } from './words.js'

type Attributes = Record<string, string | number | boolean | undefined>
type Child = Node | string | null | undefined | false

/** An element with attributes and children. A string is always text, never markup. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children)
}

/** The same for a drawing. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

/** A button that says what it does. */
export function button(attributes: Attributes, onClick: () => void, ...children: Child[]): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, ...children)
  made.addEventListener('click', onClick)
  return made
}

/** Text that is looked at only: what it says is said beside it. */
export const decoration = (text: string, className = 'glyph'): HTMLElement =>
  el('span', { class: className, 'aria-hidden': 'true' }, text)

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '')
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value))
  }
  for (const child of children) if (child !== undefined && child !== null && child !== false) made.append(child)
  return made
}

/** A part of the overview. */
export const panel = (title: string, ...children: Child[]): HTMLElement =>
  el('section', { class: 'panel' }, el('h3', {}, title), ...children)

/** A name and what it says, as the rows of a list of facts. */
export const fact = (name: string, ...said: Child[]): HTMLElement =>
  el('div', {}, el('dt', {}, name), el('dd', {}, ...said))

/** A place in the user's files, and a button that copies it. With `short` only the end of it is seen. */
export function placeText(place: string, { more = '', short = false } = {}): HTMLElement {
  const code = el('code', { title: inert(place) }, inert(short ? place.slice(place.lastIndexOf('/') + 1) : place))
  const copy = button(
    { class: 'copy', 'aria-label': `Copy ${inert(place)}`, title: 'Copy the place' },
    () => {
      void copied(inert(place), code).then((isDone) => {
        copy.textContent = isDone ? 'copied' : 'selected'
      })
    },
    'copy',
  )
  copy.addEventListener('blur', () => {
    copy.textContent = 'copy'
  })
  return el('span', { class: 'place' }, el('bdi', {}, code), inert(more), copy)
}

/** Where the clipboard is out of reach the text is selected, so that it can be copied by hand. */
async function copied(place: string, code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(place)
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    return false
  }
}

/** An outcome in its colour, with its sign and its word. */
export const outcomeText = (outcome: string): HTMLElement =>
  el('span', { class: `outcome ${outcomeKind(outcome)}` }, decoration(outcomeSign(outcome)), inert(outcome))

export const changeSigns: Record<Change, string> = { worse: '↓', new: '+', better: '↑', same: '=' }

/** How it did against the baseline. */
export const changeTag = (change: keyof typeof changeSigns): HTMLElement =>
  el('span', { class: `tag change-${change}` }, decoration(changeSigns[change]), change)
