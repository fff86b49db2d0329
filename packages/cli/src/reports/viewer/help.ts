import { button, el } from './element.js'
import { keyHelp } from './keys.js'

/** What the keys do. Letters can be turned off, for who dictates to the browser. */
export interface Help {
  element: HTMLDialogElement
  open(): void
  letters(): boolean
}

export function help(): Help {
  const letters = el('input', { type: 'checkbox', checked: true })
  const close = button({ class: 'primary' }, () => element.close(), 'Close')
  const rows = keyHelp.map(([keys, what]) =>
    el('div', {}, el('dt', {}, ...keys.map((key) => el('kbd', {}, key))), el('dd', {}, what)),
  )
  const element = el(
    'dialog',
    { 'aria-labelledby': 'help-title' },
    el('h2', { id: 'help-title' }, 'Keys'),
    el('dl', { class: 'keys' }, ...rows),
    el('p', {}, el('label', {}, letters, ' Single letters and signs are keys')),
    close,
  )
  const open = () => {
    element.showModal()
    close.focus()
  }
  return { element, open, letters: () => letters.checked }
}
