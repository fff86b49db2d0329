import { button } from './element.js'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const words: Record<Theme, string> = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' }
const key = 'svc-report-theme'

/** A button that goes from the system's colours to light, to dark and back; the choice is kept where the browser lets. */
export function themeButton(): HTMLButtonElement {
  const kept = themes.find((theme) => theme === stored())
  let now: Theme = kept ?? 'auto'
  const made = button({ class: 'quiet', title: 'Colours (t)' }, () => {
    now = themes[(themes.indexOf(now) + 1) % themes.length] ?? 'auto'
    store(now)
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

/** A page from a file, or in a sandbox, may have no storage. */
function stored(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {}
}
