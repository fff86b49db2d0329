import { escapeLine } from '@svc/text'
import type { Change } from '../src/terms.js'
import { outcomeKind, outcomeSign } from './words.js'

type Attributes = Record<string, string | number | boolean | undefined>
type Child = Node | string | null | undefined | false

/** Create an element. A string child is always text, never markup. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children)
}

export const div = (className: string, ...children: Child[]): HTMLElement =>
  el('div', { class: className }, ...children)

export const span = (className: string, ...children: Child[]): HTMLElement =>
  el('span', { class: className }, ...children)

/** A remark in a pale colour. */
export const soft = (text: string): HTMLElement => el('p', { class: 'soft' }, text)

export const facts = (...children: Child[]): HTMLElement => el('dl', { class: 'facts' }, ...children)

export const list = (items: readonly string[], className?: string): HTMLElement =>
  el('ul', { class: className }, ...items.map((item) => el('li', {}, item)))

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
}

export function button(attributes: Attributes, onClick: () => void, ...children: Child[]): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, ...children)
  made.addEventListener('click', onClick)
  return made
}

/** Text that only decorates: screen readers skip it. */
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

export const panel = (title: string, ...children: Child[]): HTMLElement =>
  el('section', { class: 'panel' }, el('h3', {}, title), ...children)

export const fact = (name: string, ...said: Child[]): HTMLElement =>
  el('div', {}, el('dt', {}, name), el('dd', {}, ...said))

/** A place in a file with a button that copies it; `short` shows only its end. */
export function placeText(place: string, { more = '', short = false } = {}): HTMLElement {
  const text = escapeLine(place)
  const code = el('code', { title: text }, ...breakable(short ? text.slice(text.lastIndexOf('/') + 1) : text))
  const copy = copyButton(
    () => text,
    { class: 'copy', 'aria-label': `Copy ${text}`, title: 'Copy the place' },
    'copy',
    {
      fail() {
        getSelection()?.selectAllChildren(code)
        return 'selected'
      },
    },
  )
  return span('place', el('bdi', {}, code), escapeLine(more), copy)
}

/** A button that copies a text. Without access to the clipboard, `fail` does something else and names it. */
export function copyButton(
  textOf: () => string,
  attributes: Attributes,
  label: string,
  { fail }: { fail(): string },
): HTMLButtonElement {
  const made = button(
    attributes,
    () => {
      void Promise.resolve(textOf())
        .then((text) => navigator.clipboard.writeText(text))
        .then(() => 'copied', fail)
        .then((done) => {
          made.textContent = done
        })
    },
    label,
  )
  made.addEventListener('blur', () => {
    made.textContent = label
  })
  return made
}

/** Text that breaks after a slash, a hyphen or an underscore, so that no word breaks in the middle. */
export const breakable = (text: string): Node[] =>
  text.split(/(?<=[/_-])(?=[^/_-])/).flatMap((part, at) => [...(at > 0 ? [el('wbr')] : []), new Text(part)])

/** A path of which the beginning is cut where it does not fit, so that the last folder and the name of the file stay. */
export function pathText(path: string): HTMLElement {
  const text = escapeLine(path)
  const end = text.lastIndexOf('/', text.lastIndexOf('/') - 1)
  const folder = end <= 0 ? '' : text.slice(0, end)
  return el(
    'bdi',
    { class: 'where', title: text },
    folder !== '' && span('folder', folder),
    span(
      'file',
      ...text
        .slice(folder.length)
        .split(/(?<=.\/)/)
        .map((part) => el('span', {}, ...breakable(part))),
    ),
  )
}

/** A panel whose content is folded at first. */
export const foldedPanel = (title: string, ...children: Child[]): HTMLElement =>
  el('details', { class: 'panel' }, el('summary', {}, el('h3', {}, title)), ...children)

export const outcomeText = (outcome: string): HTMLElement =>
  span(`outcome ${outcomeKind(outcome)}`, decoration(outcomeSign(outcome)), escapeLine(outcome))

export const changeSigns: Record<Change, string> = { worse: '↓', new: '+', better: '↑', same: '=' }

export const changeTag = (change: keyof typeof changeSigns): HTMLElement =>
  span(`tag change-${change}`, decoration(changeSigns[change]), change)
