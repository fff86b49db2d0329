import { readCases, readReport } from './data.js'
import { button, el } from './element.js'
import { help } from './help.js'
import { type Action, actionOf, type Focus } from './keys.js'
import { themeButton } from './theme.js'
import { view } from './view.js'

const report = readReport()
const keysHelp = help()
const theme = themeButton()
const page = view(report, readCases())
const actions: Record<Action, () => void> = { ...page.actions, help: keysHelp.open, theme: () => theme.click() }

addEventListener('keydown', (event) => {
  if (keysHelp.element.open) return
  const action = actionOf(event, focusOf(event.target), keysHelp.letters())
  if (!action) return
  event.preventDefault()
  actions[action]()
})

function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  if (target.closest('[role=listbox]')) return 'list'
  if (target.matches('input[type=search]')) return 'text'
  if (target.matches('select')) return 'choice'
  return target.matches('button, summary, input, a') ? 'control' : 'elsewhere'
}

document.documentElement.classList.add('live')
document
  .getElementById('tools')
  ?.append(button({ class: 'quiet', title: 'Keys (?)' }, keysHelp.open, el('kbd', {}, '?'), ' Keys'), theme)
document.getElementById('content')?.append(page.element)
document.body.append(keysHelp.element)
page.start()
