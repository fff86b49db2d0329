import { inert } from '../../text.js'
import { button, el } from './element.js'

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
