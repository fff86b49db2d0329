import { type LabelWord, labelWords } from '../src/labels/words.js'
import { button, div, el } from './element.js'
import type { Labels } from './labels.js'

/** The buttons by which a person labels a transcript. */
export function labelBar(labels: Labels, sha256: string, onChange: () => void) {
  const note = el('input', { type: 'text', placeholder: 'Note' })
  const buttons = labelWords.map((word) =>
    button({ class: 'quiet' }, () => toggle(word), el('kbd', {}, word[0]), ` ${word}`),
  )
  const show = () => {
    const kept = labels.of(sha256)
    for (const [at, word] of labelWords.entries())
      buttons[at]?.setAttribute('aria-pressed', String(kept?.label === word))
    note.value = kept?.note ?? ''
    note.disabled = kept === undefined
  }
  const toggle = (word: LabelWord) => {
    labels.toggle(sha256, word)
    show()
    onChange()
  }
  note.addEventListener('change', () => labels.note(sha256, note.value))
  show()
  return { element: div('label-bar', ...buttons, note), toggle }
}

/** The actions of the keys that label a transcript. */
export const labelActions = (act: (word: LabelWord) => void) =>
  Object.fromEntries(labelWords.map((word) => [word, () => act(word)])) as Record<LabelWord, () => void>

/** The name of the person, and the button that saves all labels as a file. */
export function saveBar(labels: Labels) {
  const name = el('input', { type: 'text', placeholder: 'Your name' })
  name.value = labels.by()
  name.addEventListener('change', () => labels.setBy(name.value.trim()))
  const save = button({ class: 'quiet' }, () => {
    const by = name.value.trim()
    if (by === '') return name.focus()
    labels.setBy(by)
    const url = URL.createObjectURL(new Blob([labels.lines(by)]))
    el('a', { href: url, download: 'labels.jsonl' }).click()
  })
  const element = div('label-bar save-bar', name, save)
  const show = () => {
    const n = labels.count()
    element.hidden = n === 0
    save.textContent = `Save labels.jsonl (${n})`
  }
  show()
  return { element, show }
}
