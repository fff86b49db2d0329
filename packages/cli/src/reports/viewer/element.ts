type Attributes = Record<string, string | number | boolean | undefined>
export type Child = Node | string | null | undefined | false

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
