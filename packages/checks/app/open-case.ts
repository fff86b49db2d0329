import { count, escapeLine } from '@svc/text'
import type { EmbeddedCase, EmbeddedTurn } from '../src/report/embedded.js'
import type { ReportCase, ReportSignal } from '../src/report/report.js'
import {
  caseLabel,
  caseTitle,
  gapTextWithHint,
  numberText,
  placeOf,
  reasonText,
  resultLabels,
} from '../src/report/wording.js'
import { rawTurns, wholePage } from './data.js'
import {
  button,
  changeTag,
  copyButton,
  decoration,
  div,
  el,
  fact,
  facts,
  list,
  outcomeText,
  placeText,
  soft,
  span,
} from './element.js'
import { amount, answerLabels, milliseconds, resultKind } from './words.js'

export type OpenCase = ReturnType<typeof openCase>

export function openCase(each: EmbeddedCase, index: number, moves: Moves, label: HTMLElement | undefined) {
  const head = caseHead(each)
  if (label) head.append(label)
  const body = div('case-body')
  const element = el('article', { class: 'open-case', 'aria-labelledby': 'case-title' }, movesBar(moves), head, body)
  let marks = new Map<number, HTMLElement>()
  let order: number[] = []
  let at = -1

  const go = (place: number) => {
    at = place
    const finding = order[place] ?? 0
    reach(marks.get(finding) ?? element.querySelector<HTMLElement>(`#finding-${finding}`))
  }
  const fill = (turns: readonly EmbeddedTurn[] | undefined) => {
    const view = turns && turnsView(each, turns)
    marks = view?.marks ?? marks
    // Findings without a turn come first.
    const place = (finding: number) => turnAt({ turn: each.signals[finding]?.turn ?? null }, turns?.length ?? 0) ?? -1
    order = [...each.signals.keys()].sort((a, b) => place(a) - place(b))
    body.replaceChildren(
      findingsOf(each, turns?.length, (finding) => go(order.indexOf(finding))),
      detailsOf(each),
      el('h3', {}, 'Turns'),
      view?.element ?? soft('What was sent is not part of this report.'),
    )
  }
  const raw = rawTurns(index)
  const isThere = raw !== undefined || document.readyState !== 'loading'
  if (isThere) fill(parsed(raw))
  else body.append(soft('The turns are being read …'))
  const ready = isThere ? Promise.resolve() : wholePage().then(() => fill(parsed(rawTurns(index))))

  return {
    element,
    /** Resolves when the turns are shown. */
    ready,
    focusTitle: () => head.querySelector<HTMLElement>('#case-title')?.focus({ preventScroll: true }),
    /** Move to the next or previous finding; false if there is none. */
    finding(by: 1 | -1): boolean {
      const next = at === -1 && by < 0 ? order.length - 1 : at + by
      if (next < 0 || next >= order.length) return false
      go(next)
      return true
    },
  }
}

const parsed = (raw: string | undefined): EmbeddedTurn[] | undefined =>
  raw === undefined ? undefined : JSON.parse(raw)

/** Turns outside of the viewport have no size yet, so scroll again after they are laid out. */
function reach(target: HTMLElement | null | undefined): void {
  if (!target) return
  target.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'center' })
  requestAnimationFrame(() => target.scrollIntoView({ block: 'center' }))
}

interface Moves {
  /** The address of the transcript. */
  link(): string
  close(): void
  step(by: number): void
}

const movesBar = (moves: Moves): HTMLElement =>
  div(
    'case-bar',
    button(
      { class: 'quiet back', title: 'Close (Escape)' },
      moves.close,
      decoration('‹ '),
      'All',
      span('long', ' transcripts'),
    ),
    copyButton(moves.link, { class: 'quiet', title: 'Copy a link to this transcript' }, 'Copy link', {
      fail: () => 'The link is in the address bar',
    }),
    button({ class: 'quiet', title: 'Previous transcript (k)' }, () => moves.step(-1), decoration('↑ '), 'Previous'),
    button({ class: 'quiet', title: 'Next transcript (j)' }, () => moves.step(1), decoration('↓ '), 'Next'),
  )

function caseHead(each: EmbeddedCase): HTMLElement {
  const { result, outcome, change, before, flaky, reasons, gap, votes } = each
  const { word, sign } = resultLabels[result]
  return el(
    'header',
    { class: 'case-head' },
    el('h2', { id: 'case-title', tabindex: -1 }, el('bdi', {}, escapeLine(caseTitle(each)))),
    placeText(placeOf(each, each), { more: caseLabel(each).slice(each.path.length) }),
    el(
      'p',
      { class: 'state' },
      span(`result ${resultKind(result)}`, decoration(sign), word),
      before !== null &&
        before !== outcome &&
        el('span', {}, outcomeText(before), ' ', decoration('→'), span('unseen', ' became ')),
      outcome !== null && outcomeText(outcome),
      change !== null && changeTag(change),
      flaky && span('tag flaky', 'flaky'),
    ),
    votes.length > 1 && votesRow(votes),
    (reasons.length > 0 || gap !== null) &&
      list(
        [
          ...reasons.map((reason) => reasonText(reason, escapeLine)),
          ...(gap === null ? [] : [`Not judged: ${escapeLine(gapTextWithHint(gap))}`]),
        ],
        'reasons',
      ),
    each.outcome_notes && el('p', { class: 'notes' }, el('bdi', {}, each.outcome_notes)),
  )
}

const votesRow = (votes: readonly string[]): HTMLElement =>
  div(
    'votes',
    `${count(votes.length, 'attempt')}: `,
    el('ol', {}, ...votes.map((vote) => el('li', {}, outcomeText(vote)))),
  )

/** The rest of the annotation, folded: findings and turns come first. */
function detailsOf(each: EmbeddedCase): HTMLElement {
  const { summary, usage, answer, annotator_version, taxonomy_version, tags, sha256, external_id } = each
  const text = (name: string, said: string | null | undefined) => said && fact(name, el('bdi', {}, said))
  const details = [
    text('title', summary?.title),
    text('summary', summary?.summary),
    text('concerns', summary?.quality_concerns),
    text('intent', summary?.user_intent),
    text('domain', summary?.domain),
    text('keywords', summary?.keywords.join(', ')),
    ...Object.entries(tags ?? {}).map(([tag, values]) =>
      fact(escapeLine(tag), values.map(escapeLine).join(', ') || 'none'),
    ),
    external_id !== undefined && fact('external id', escapeLine(external_id)),
    sha256 !== null && fact('SHA-256', el('code', {}, sha256)),
    answer && fact('answer', answerLabels[answer]),
    usage && fact('took', usageText(usage)),
    annotator_version !== null && fact('annotator', escapeLine(`${annotator_version}, taxonomy ${taxonomy_version}`)),
  ].filter((each) => each instanceof Node)
  return el(
    'details',
    { class: 'annotation' },
    el('summary', {}, 'Summary and metadata'),
    details.length > 0 ? facts(...details) : soft('Nothing is known.'),
  )
}

const usageText = ({ latency_ms, tokens_in, tokens_out }: NonNullable<ReportCase['usage']>): string =>
  `${numberText(latency_ms, milliseconds)}, ${numberText(tokens_in, amount)} tokens in, ${numberText(tokens_out, amount)} out`

const turnAt = ({ turn }: Pick<ReportSignal, 'turn'>, turns: number): number | undefined =>
  turn !== null && Number.isInteger(turn) && turn >= 1 && turn <= turns ? turn - 1 : undefined

function findingsOf(each: EmbeddedCase, turns: number | undefined, goTo: (finding: number) => void): HTMLElement {
  const rows = each.signals.map((signal, index) =>
    el(
      'li',
      { class: 'finding', id: `finding-${index}`, tabindex: -1 },
      div(
        'finding-head',
        span('key', decoration('⚑'), escapeLine(signal.key)),
        turnText(signal, turns, () => goTo(index)),
        signal.line !== null && placeText(placeOf(each, signal)),
      ),
      signal.message !== undefined && el('p', { dir: 'auto' }, signal.message),
      signal.evidence !== ''
        ? el('blockquote', { dir: 'auto' }, signal.evidence)
        : signal.message === undefined && soft('No evidence was given.'),
    ),
  )
  return el(
    'section',
    { class: 'findings', 'aria-labelledby': 'findings-title' },
    el('h3', { id: 'findings-title' }, 'Findings'),
    rows.length > 0 ? el('ol', {}, ...rows) : soft('No signal fired.'),
  )
}

function turnText(signal: ReportSignal, turns: number | undefined, go: () => void): HTMLElement {
  if (signal.turn === null) return span('soft', 'names no turn')
  if (turns === undefined) return span('soft', `turn ${signal.turn}`)
  if (turnAt(signal, turns) === undefined) {
    return span('warning', `turn ${signal.turn} is none of the ${turns} that were sent`)
  }
  return button({ class: 'link' }, go, `turn ${signal.turn}`)
}

export function turnsView(each: Pick<EmbeddedCase, 'path' | 'signals'>, turns: readonly EmbeddedTurn[]) {
  const marks = new Map<number, HTMLElement>()
  const findings = each.signals.map((signal, finding) => ({
    finding,
    at: turnAt(signal, turns.length),
    text: signal.evidence,
  }))
  const rows = turns.map((turn, at) => {
    const findingsOfTurn = findings.filter((finding) => finding.at === at)
    return turnRow(each, turn, at, findingsOfTurn, marks)
  })
  return { element: el('ol', { class: 'turns' }, ...rows), marks }
}

function turnRow(
  each: Pick<EmbeddedCase, 'path' | 'signals'>,
  [role, content, line, column]: EmbeddedTurn,
  at: number,
  findings: readonly { finding: number; text: string }[],
  marks: Map<number, HTMLElement>,
): HTMLElement {
  const { segments, whole } = highlight(content, findings)
  const key = (finding: number) => escapeLine(each.signals[finding]?.key ?? '')
  const body = el('div', { class: 'content', dir: 'auto' })
  for (const segment of segments) {
    if (segment.findings.length === 0) body.append(segment.text)
    else {
      const mark = el('mark', { tabindex: -1, title: segment.findings.map(key).join(', ') }, segment.text)
      for (const finding of segment.findings) if (!marks.has(finding)) marks.set(finding, mark)
      body.append(mark)
    }
  }
  if (content === '') body.append(span('soft', '(empty)'))
  const tags = findings.map(({ finding }) =>
    span('key', decoration('⚑'), key(finding), whole.includes(finding) && span('soft', ' (this turn as a whole)')),
  )
  const row = el(
    'li',
    { class: `turn ${kindOf(role)}${whole.length > 0 ? ' whole' : ''}`, ...(whole.length > 0 && { tabindex: -1 }) },
    div(
      'turn-head',
      span('nr', String(at + 1)),
      el('b', { class: 'role' }, escapeLine(role)),
      ...tags,
      line !== null && placeText(placeOf(each, { line, column }), { short: true }),
    ),
    body,
  )
  if (content.length > longest && findings.length === 0) shorten(row, body, content.length)
  for (const finding of whole) marks.set(finding, row)
  return row
}

/** The number of characters after which a turn without findings is collapsed. */
const longest = 3_000

function shorten(row: HTMLElement, body: HTMLElement, length: number): void {
  body.classList.add('cut')
  const words = `Show all ${amount(length)} characters`
  const all = button(
    { class: 'link', 'aria-expanded': 'false' },
    () => {
      const isCut = body.classList.toggle('cut')
      all.setAttribute('aria-expanded', String(!isCut))
      all.textContent = isCut ? words : 'Show less'
    },
    words,
  )
  row.append(all)
}

const kinds = ['user', 'assistant', 'system', 'tool']

const kindOf = (role: string): string => (kinds.includes(role) ? role : 'other')

/**
 * Find the evidence of each finding in a turn; evidence may overlap. The segments are together the content of the turn;
 * `whole` are the findings whose evidence is no literal quote: they mark the whole turn.
 */
export function highlight(content: string, evidence: readonly { finding: number; text: string }[]) {
  const matches = evidence.map(({ finding, text }) => ({ finding, range: rangeOf(content, text) }))
  const ranges = matches.flatMap(({ finding, range }) => (range ? [{ finding, from: range[0], to: range[1] }] : []))
  const cuts = [...new Set([0, content.length, ...ranges.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b)
  const segments = cuts.slice(1).map((to, i) => {
    const from = cuts[i] ?? 0
    const inside = ranges.filter((range) => range.from <= from && to <= range.to)
    return { text: content.slice(from, to), findings: inside.map(({ finding }) => finding) }
  })
  return { segments, whole: matches.flatMap(({ finding, range }) => (range ? [] : [finding])) }
}

/** Find a quote, literally or with other white space. */
function rangeOf(content: string, text: string): [from: number, to: number] | undefined {
  const quoted = text.trim()
  if (quoted === '') return undefined
  const at = content.indexOf(quoted)
  if (at >= 0) return [at, at + quoted.length]
  const words = quoted.split(/\s+/)
  if (words.length === 1) return undefined
  const loose = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('\\s+')
  const match = new RegExp(loose).exec(content)
  return match ? [match.index, match.index + match[0].length] : undefined
}
