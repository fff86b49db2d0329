import { readCases, readReport, readSample } from './data.js'
import { button, el } from './element.js'
import { keeperIn } from './keeper.js'
import { type Action, actionOf, type Focus, help } from './keys.js'
import { saveBar } from './label-bar.js'
import { createLabels } from './labels.js'
import { sampleView } from './sample.js'
import { view } from './view.js'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const words: Record<Theme, string> = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' }
const key = 'svc-report-theme'

const sample = readSample()
const keeper = keeperIn(() => localStorage)
const keysHelp = help()
const theme = themeButton()
const stratumOf = (sha256: string) => sample?.cases.find((each) => each.sha256 === sha256)?.stratum ?? null
const id = sample ? sample.id : `${readReport().ended_at} ${readReport().total}`
const labels = createLabels(id, stratumOf, keeper, () => new Date())
const saving = saveBar(labels)
const page = sample ? sampleView(sample, labels, saving) : view(readReport(), readCases(), labels, saving)
const actions: Partial<Record<Action, () => void>> = {
  ...page.actions,
  help: keysHelp.open,
  theme: () => theme.click(),
}

addEventListener('keydown', (event) => {
  if (keysHelp.element.open) return
  const action = actionOf(event, focusOf(event.target), keysHelp.letters())
  if (!action) return
  event.preventDefault()
  actions[action]?.()
})

function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  if (target.closest('[role=listbox]')) return 'list'
  if (target.matches('input[type=search]')) return 'text'
  if (target.matches('input[type=text]')) return 'field'
  if (target.matches('select')) return 'choice'
  return target.matches('button, summary, input, a') ? 'control' : 'elsewhere'
}

document.documentElement.classList.add('live')
document
  .getElementById('tools')
  ?.append(
    saving.element,
    button({ class: 'quiet', title: 'Shortcuts (?)' }, keysHelp.open, el('kbd', {}, '?'), ' Shortcuts'),
    theme,
  )
document.getElementById('content')?.append(page.element)
document.body.append(keysHelp.element)
page.start()

function themeButton(): HTMLButtonElement {
  const kept = themes.find((theme) => theme === keeper.read(key))
  let now: Theme = kept ?? 'auto'
  const made = button({ class: 'quiet', title: 'Colours (t)' }, () => {
    now = themes[(themes.indexOf(now) + 1) % themes.length] ?? 'auto'
    keeper.write(key, now)
    apply()
  })
  const apply = () => {
    document.documentElement.dataset.theme = now
    made.textContent = words[now]
    made.setAttribute('aria-label', `Colours: ${now}`)
  }
  apply()
  return made
}
