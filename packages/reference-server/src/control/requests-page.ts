import { htmlPage } from '../html-page.js'
import type { OutgoingResponse } from '../http-messages.js'
import type { JournalEntry } from '../journal/index.js'
import { callOf, curlOf, masked } from './snippets.js'

/** The page that shows the requests as they come. It holds nothing of them: it asks the control plane, with its token. */
export const requestsPage = (): OutgoingResponse =>
  htmlPage({ title: 'Requests · svc mock', style, body, program: requestsProgram, helpers: { masked, curlOf, callOf } })

const body = `<header>
<h1>Requests</h1>
<p id="state" role="status">Connecting …</p>
<nav aria-label="More"><a href="../docs">Interface</a> <a href="openapi.json">Control plane</a></nav>
<form id="access" hidden>
<label>Token <input id="token" type="password" autocomplete="off" required></label> <button>Open</button>
<p class="soft">It is the value of SVC_CONTROL_TOKEN. <code>svc mock --control</code> prints a link that has it.</p>
</form>
<form id="filters" role="search" hidden>
<label>Operation <select id="operation"></select></label>
<label>Status <select id="status">
<option value="">all</option><option value="2">2xx</option><option value="3">3xx</option><option value="4">4xx</option><option value="5">5xx</option>
<option value="none">no answer</option><option value="departs">departs from the interface</option>
</select></label>
<label>Text <input id="text" type="search" placeholder="in path, headers, bodies"></label>
<button type="button" id="clear">Clear the journal</button>
</form>
</header>
<main>
<section id="list" aria-label="Requests">
<table>
<thead><tr><th>Time</th><th>Operation</th><th>Status</th><th>Took</th><th>Key</th></tr></thead>
<tbody id="rows"></tbody>
</table>
<p class="soft" id="hint">↑ ↓ or j k: another request · Enter: show it · Esc: close it · /: text</p>
</section>
<section id="detail" aria-label="The selected request" tabindex="-1" hidden></section>
</main>`

const style = `
header { padding: .6rem 1rem; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline }
h1 { font-size: 1.1rem; margin: 0 } h2 { font-size: 1rem; margin: 0 0 .4rem; overflow-wrap: anywhere } h3 { font-size: .9rem; margin: 1rem 0 .3rem }
#state { margin: 0 } form { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .4rem 1rem } form[hidden], section[hidden] { display: none }
input, select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; padding: .1rem .5rem }
option { background: light-dark(#fff, #15191e) }
main { display: flex; align-items: start } #list { flex: 1 1 30rem; padding: .5rem 1rem; min-width: 0 }
#detail { flex: 1 1 36rem; min-width: 0; padding: .8rem 1rem; border-left: 1px solid var(--line); position: sticky; top: 0; max-height: 100vh; overflow: auto }
#list table { width: 100% } tbody tr { cursor: pointer } tbody tr[aria-current] { background: var(--mark) }
td button { border: 0; padding: 0; font: 13px ui-monospace, monospace } td { overflow-wrap: anywhere } td:nth-child(1), td:nth-child(4) { white-space: nowrap; overflow-wrap: normal }
.copy { float: right; font-size: .8rem }
@media (max-width: 60rem) { main { flex-direction: column } #list, #detail { width: 100%; position: static; border-left: 0; max-height: none } }
`

type Helpers = Readonly<Record<'curlOf' | 'callOf', (entry: JournalEntry) => string>> & { masked(text: string): string }

/** Runs in the page. */
function requestsProgram({ masked, curlOf, callOf }: Helpers): void {
  const pollMs = 700
  const cutAt = 100_000
  const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind
  const [state, list, detail, rows] = [byId('state'), byId('list'), byId('detail'), byId('rows')]
  const [access, filters] = [byId<HTMLFormElement>('access'), byId<HTMLFormElement>('filters')]
  const [operation, status] = [byId<HTMLSelectElement>('operation'), byId<HTMLSelectElement>('status')]
  const [text, tokenField] = [byId<HTMLInputElement>('text'), byId<HTMLInputElement>('token')]
  const storedToken = `svc-token ${location.pathname}`

  let entries: JournalEntry[] = []
  let selected: number | undefined
  let shownRows: HTMLTableRowElement[] = []
  let token = tokenOfLink() ?? sessionStorage.getItem(storedToken) ?? ''
  const rowsById = new Map<number, HTMLTableRowElement>()
  const texts = new Map<number, string>()

  /** The token of the link; it does not stay in the address, which others may see. */
  function tokenOfLink(): string | undefined {
    const given = new URLSearchParams(location.hash.slice(1)).get('token')
    if (given === null) return undefined
    sessionStorage.setItem(storedToken, given)
    history.replaceState(null, '', location.pathname)
    return given
  }

  /** Create an element. A child that is a string is always text, never markup. */
  function el(name: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  const timeOf = ({ at }: JournalEntry) => new Date(at).toISOString().slice(11, 23)
  const nameOf = ({ operation, method, path }: JournalEntry) => operation ?? masked(`${method} ${path}`)
  const statusOf = ({ status }: JournalEntry) => (status === 0 ? 'no answer' : String(status))
  const isRefused = ({ status }: JournalEntry) => status === 0 || status >= 400
  const keyOf = ({ key, keyName }: JournalEntry) => keyName ?? key ?? 'none'
  const call = (method: string, path: string) =>
    window.fetch(path, { method, headers: { authorization: `Bearer ${token}` }, cache: 'no-store' })

  function rowOf(entry: JournalEntry): HTMLTableRowElement {
    const cached = rowsById.get(entry.id)
    if (cached) return cached
    const departs = entry.problems ? [el('span', { class: 'bad' }, ` ⚠ ${entry.problems.length}`)] : []
    const row = el(
      'tr',
      { 'data-id': String(entry.id) },
      el('td', {}, el('button', { type: 'button' }, timeOf(entry))),
      el('td', {}, nameOf(entry), ...departs),
      el('td', { class: isRefused(entry) ? 'bad' : 'good' }, statusOf(entry)),
      el('td', {}, `${Math.round(entry.durationMs)} ms`),
      el('td', {}, keyOf(entry)),
    ) as HTMLTableRowElement
    row.addEventListener('click', () => select(entry.id))
    rowsById.set(entry.id, row)
    return row
  }

  function textOf(entry: JournalEntry): string {
    const json = texts.get(entry.id) ?? JSON.stringify(entry).toLowerCase()
    texts.set(entry.id, json)
    return json
  }

  function fits(entry: JournalEntry): boolean {
    if (operation.value !== '' && nameOf(entry) !== operation.value) return false
    const isUnanswered = entry.status === 0 || entry.status === 499
    if (status.value === 'none' && !isUnanswered) return false
    if (status.value === 'departs' && !entry.problems) return false
    if (/^\d$/.test(status.value) && !String(entry.status).startsWith(status.value)) return false
    return text.value === '' || textOf(entry).includes(text.value.toLowerCase())
  }

  function draw(): void {
    const names = [...new Set(entries.map(nameOf))].sort()
    const chosen = operation.value
    operation.replaceChildren(
      ...['', ...new Set([...names, ...(chosen ? [chosen] : [])])].map((name) =>
        el('option', { value: name }, name === '' ? 'all' : name),
      ),
    )
    operation.value = chosen
    const { activeElement } = document
    shownRows = entries.filter(fits).reverse().map(rowOf)
    rows.replaceChildren(...shownRows)
    for (const row of shownRows)
      if (row.dataset.id === String(selected)) row.setAttribute('aria-current', 'true')
      else row.removeAttribute('aria-current')
    if (activeElement instanceof HTMLElement && rows.contains(activeElement)) activeElement.focus()
    const shownCount = shownRows.length === entries.length ? '' : `, ${shownRows.length} shown`
    state.textContent = `${entries.length} ${entries.length === 1 ? 'request' : 'requests'}${shownCount}`
  }

  /** A text with a button that copies all of it. A long one is cut until it is asked for. */
  function block(title: string, content: string, note = ''): HTMLElement[] {
    const whole = masked(content)
    const shown = el('pre', { tabindex: '0', 'aria-label': title }, whole.slice(0, cutAt))
    const copy = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${title}` }, 'Copy')
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(whole)
      copy.textContent = 'Copied'
    })
    const parts = [el('h3', {}, title, ...(whole === '' ? [] : [copy]))]
    if (note !== '') parts.push(el('p', { class: 'soft' }, note))
    if (whole !== '') parts.push(shown)
    if (whole.length > cutAt) {
      const more = el('button', { type: 'button' }, `Show all ${whole.length} characters`)
      more.addEventListener('click', () => {
        shown.textContent = whole
        more.remove()
      })
      parts.push(more)
    }
    return parts
  }

  function pretty(value: unknown): string {
    if (value === undefined) return ''
    if (typeof value !== 'string') return JSON.stringify(value, null, 2)
    try {
      return JSON.stringify(JSON.parse(value), null, 2)
    } catch {
      return value
    }
  }

  const linesOf = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')

  function bodyNote({ bodiesDropped, bodyBytes, isUnchecked, method }: JournalEntry): string {
    if (bodiesDropped && bodyBytes !== undefined)
      return `${bodyBytes} bytes. The journal has dropped it, to stay within its bytes (journalBytes).`
    if (bodyBytes !== undefined) return `${bodyBytes} bytes`
    return isUnchecked && method === 'POST' ? 'Not read: the request got its answer before.' : 'None.'
  }

  function verdict({ problems = [], isUnchecked, error }: JournalEntry): HTMLElement[] {
    const lines = problems.map(({ in: part, name, problem }) =>
      el('li', { class: 'bad' }, `${[part, name].filter(Boolean).join(' ')}: ${problem}`),
    )
    if (isUnchecked) lines.push(el('li', {}, 'The body was not checked.'))
    if (error) lines.push(el('li', { class: 'bad' }, error))
    if (lines.length === 0) lines.push(el('li', { class: 'good' }, 'The request is as the interface describes it.'))
    return [el('h3', {}, 'The interface'), el('ul', {}, ...lines)]
  }

  function show(entry: JournalEntry): void {
    const { method, path, operation, faults, delivery, workspace, answer } = entry
    const facts = [
      operation ?? 'no operation',
      statusOf(entry),
      `${Math.round(entry.durationMs)} ms`,
      `key ${keyOf(entry)}`,
    ]
    if (workspace !== null) facts.push(`workspace ${workspace}`)
    if (faults.length > 0) facts.push(`faults ${faults.join(', ')}`)
    if (delivery !== 'whole') facts.push(`the answer went out as ${delivery}`)
    const close = el('button', { type: 'button', class: 'copy' }, 'Close')
    close.addEventListener('click', () => select(undefined))
    const dropped = entry.bodiesDropped && answer.body === undefined
    detail.replaceChildren(
      el('h2', {}, close, masked(`${method} ${path}`)),
      el('p', { class: 'soft' }, `${new Date(entry.at).toISOString()} · ${facts.join(' · ')}`),
      ...verdict(entry),
      ...block('Request headers', linesOf(entry.headers)),
      ...block('Request body', pretty(entry.body), bodyNote(entry)),
      ...block('Answer headers', linesOf(answer.headers)),
      ...block(
        'Answer body',
        pretty(answer.body),
        dropped ? 'The journal has dropped it.' : answer.body ? '' : 'None.',
      ),
      ...block('As curl', curlOf(entry)),
      ...block('As a call of the SDK', callOf(entry)),
    )
    detail.hidden = false
    detail.scrollTop = 0
  }

  function select(id: number | undefined): void {
    selected = id
    const entry = entries.find((each) => each.id === id)
    if (entry) show(entry)
    else detail.hidden = true
    draw()
  }

  /** Focus the row that is `by` rows from the focused one; a shown request follows it. */
  function move(by: number): void {
    const at = shownRows.findIndex((row) => row.contains(document.activeElement))
    const from = at >= 0 ? at : shownRows.findIndex((row) => row.dataset.id === String(selected))
    const row = shownRows[Math.min(Math.max(from + by, 0), shownRows.length - 1)]
    row?.querySelector('button')?.focus()
    if (row && selected !== undefined) select(Number(row.dataset.id))
  }

  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'Escape') {
      const row = selected === undefined ? undefined : rowsById.get(selected)
      if (target === text) text.blur()
      select(undefined)
      row?.querySelector('button')?.focus()
    } else if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return
    else if (key === 'ArrowDown' || key === 'j') move(1)
    else if (key === 'ArrowUp' || key === 'k') move(-1)
    else if (key === '/') text.focus()
    else return
    event.preventDefault()
  })

  /** Ask for what is new. The journal may have dropped or forgotten some, too. */
  async function poll(): Promise<void> {
    const response = await call('GET', `requests?after=${entries.at(-1)?.id ?? 0}`)
    if (response.status === 401) return askForToken(token === '' ? '' : 'The token is not that of this server.')
    if (!response.ok) throw new Error(`The control plane answered ${response.status}.`)
    const added = (await response.json()) as JournalEntry[]
    const [first, total] = ['svc-first', 'svc-total'].map((name) => Number(response.headers.get(name)))
    const kept = entries.filter(({ id }) => id >= (first ?? 0))
    const isChanged = added.length > 0 || kept.length < entries.length || filters.hidden
    entries = [...kept, ...added]
    access.hidden = true
    filters.hidden = false
    list.hidden = false
    if (entries.length !== total) entries = (await (await call('GET', 'requests')).json()) as JournalEntry[]
    else if (!isChanged) return
    draw()
  }

  function askForToken(problem: string): void {
    state.textContent = problem || 'A token is needed.'
    access.hidden = false
    filters.hidden = true
    list.hidden = true
    detail.hidden = true
    entries = []
    token = ''
  }

  async function follow(): Promise<void> {
    if (token === '') return askForToken('')
    try {
      await poll()
    } catch {
      state.textContent = 'The server does not answer. Is svc mock still running?'
    }
    if (token !== '') window.setTimeout(follow, pollMs)
  }

  for (const field of [operation, status, text]) field.addEventListener('input', draw)
  filters.addEventListener('submit', (event) => event.preventDefault())
  byId('clear').addEventListener('click', async () => {
    await call('DELETE', 'requests')
    select(undefined)
  })
  access.addEventListener('submit', (event) => {
    event.preventDefault()
    token = tokenField.value.trim()
    sessionStorage.setItem(storedToken, token)
    void follow()
  })
  void follow()
}
