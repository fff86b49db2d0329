import { type Child, el } from './element.js'

/** A part of the overview. */
export const panel = (title: string, ...children: Child[]): HTMLElement =>
  el('section', { class: 'panel' }, el('h3', {}, title), ...children)

/** A name and what it says, as the rows of a list of facts. */
export const fact = (name: string, ...said: Child[]): HTMLElement =>
  el('div', {}, el('dt', {}, name), el('dd', {}, ...said))
