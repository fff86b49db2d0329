import { button, el } from './element.js'

export type Action =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'page down'
  | 'page up'
  | 'open'
  | 'close'
  | 'search'
  | 'help'
  | 'next finding'
  | 'previous finding'
  | 'theme'
  | 'overview'
  | 'good'
  | 'bad'
  | 'unsure'

/** The element with the focus: the list of transcripts, the search, another field for text, a select, a button, or another. */
export type Focus = 'list' | 'text' | 'field' | 'choice' | 'control' | 'elsewhere'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

const anywhere: Record<string, Action> = {
  j: 'next',
  k: 'previous',
  n: 'next finding',
  p: 'previous finding',
  '/': 'search',
  '?': 'help',
  t: 'theme',
  o: 'overview',
  g: 'good',
  b: 'bad',
  u: 'unsure',
}

const inList: Record<string, Action> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
  PageDown: 'page down',
  PageUp: 'page up',
  Enter: 'open',
  ' ': 'open',
}

/** The action of a key, unless the focused field or the browser uses that key. `letters` enables single letters. */
export function actionOf(
  { key, ctrlKey, metaKey, altKey }: Pressed,
  focus: Focus,
  letters: boolean,
): Action | undefined {
  if (ctrlKey || metaKey || altKey || focus === 'field') return undefined
  if (key === 'Escape') return 'close'
  if (focus === 'choice') return undefined
  if (focus === 'text') return key === 'Enter' || key === 'ArrowDown' ? 'next' : undefined
  if (focus === 'list' && Object.hasOwn(inList, key)) return inList[key]
  if (focus === 'elsewhere' && key === 'Enter') return 'open'
  return letters && Object.hasOwn(anywhere, key) ? anywhere[key] : undefined
}

export const keyHelp: [keys: string[], what: string][] = [
  [['j', '↓'], 'next transcript'],
  [['k', '↑'], 'previous transcript'],
  [['Enter'], 'open the transcript'],
  [['Escape'], 'close it, or leave the search'],
  [['n'], 'next finding, also of the next transcript'],
  [['p'], 'previous finding'],
  [['/'], 'search'],
  [['o'], 'counts, rates and charts'],
  [['g', 'b', 'u'], 'good, bad, unsure; again to undo'],
  [['t'], 'light, dark, or as the system has it'],
  [['?'], 'this help'],
]

/** Letters can be turned off, because they disturb dictation. */
export function help() {
  const letters = el('input', { type: 'checkbox', checked: true })
  const close = button({ class: 'primary' }, () => element.close(), 'Close')
  const rows = keyHelp.map(([keys, what]) =>
    el('div', {}, el('dt', {}, ...keys.map((key) => el('kbd', {}, key))), el('dd', {}, what)),
  )
  const element = el(
    'dialog',
    { 'aria-labelledby': 'help-title' },
    el('h2', { id: 'help-title' }, 'Shortcuts'),
    el('dl', { class: 'keys' }, ...rows),
    el('p', {}, el('label', {}, letters, ' Use letters and signs as shortcuts')),
    close,
  )
  const open = () => {
    element.showModal()
    close.focus()
  }
  return { element, open, letters: () => letters.checked }
}
