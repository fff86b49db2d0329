import type { ReportCase } from '../../checks/report.js'
import { count, inert } from '../../text.js'
import { labelOfCase, placeOf, reasonIn } from '../words.js'
import { outcomeText } from './baseline.js'
import { button, decoration, el } from './element.js'
import type { EmbeddedCase } from './embedded.js'
import { fact } from './panel.js'
import { placeText } from './place.js'
import { changeTag } from './row.js'
import { amount, answerWords, gapText, milliseconds, resultKind, resultWords } from './words.js'

/** What an open transcript can be asked to do. */
export interface Moves {
  close(): void
  step(by: number): void
}

/** What the check says of a transcript, above its findings and turns. */
export function caseHead(each: EmbeddedCase, moves: Moves): HTMLElement {
  const { result, outcome, change, before, flaky, name, reasons, gap, votes } = each
  const { word, sign } = resultWords[result]
  return el(
    'header',
    { class: 'case-head' },
    el(
      'div',
      { class: 'case-bar' },
      button({ class: 'quiet back', title: 'Close (Escape)' }, moves.close, decoration('‹ '), 'All transcripts'),
      button({ class: 'quiet', title: 'Previous transcript (k)' }, () => moves.step(-1), decoration('↑ '), 'Previous'),
      button({ class: 'quiet', title: 'Next transcript (j)' }, () => moves.step(1), decoration('↓ '), 'Next'),
    ),
    el('h2', { id: 'case-title', tabindex: -1 }, el('bdi', {}, inert(name) || '(no name)')),
    placeText(placeOf(each, each), { more: labelOfCase(each).slice(each.path.length) }),
    el(
      'p',
      { class: 'state' },
      el('span', { class: `result ${resultKind(result)}` }, decoration(sign), word),
      before !== null &&
        before !== outcome &&
        el('span', {}, outcomeText(before), ' ', decoration('→'), el('span', { class: 'unseen' }, ' became ')),
      outcome !== null && outcomeText(outcome),
      change !== null && changeTag(change),
      flaky && el('span', { class: 'tag flaky' }, 'flaky'),
    ),
    votes.length > 1 && votesRow(votes),
    (reasons.length > 0 || gap !== null) &&
      el(
        'ul',
        { class: 'reasons' },
        ...reasons.map((reason) => el('li', {}, reasonIn(reason, inert))),
        gap !== null && el('li', {}, `Not judged: ${inert(gapText(gap))}`),
      ),
    summaryOf(each),
  )
}

const votesRow = (votes: readonly string[]): HTMLElement =>
  el(
    'div',
    { class: 'votes' },
    `${count(votes.length, 'attempt')}: `,
    el('ol', {}, ...votes.map((vote) => el('li', {}, outcomeText(vote)))),
  )

function summaryOf({ summary, outcome_notes, usage, answer, annotator_version, taxonomy_version }: EmbeddedCase) {
  const text = (name: string, said: string | null | undefined) => said && fact(name, el('bdi', {}, said))
  const facts = [
    text('title', summary?.title),
    text('summary', summary?.summary),
    text('notes', outcome_notes),
    text('concerns', summary?.quality_concerns),
    text('intent', summary?.user_intent),
    text('domain', summary?.domain),
    text('keywords', summary?.keywords.join(', ')),
    answer && fact('answer', answerWords[answer]),
    usage && fact('took', usageText(usage)),
    annotator_version !== null && fact('annotator', inert(`${annotator_version}, taxonomy ${taxonomy_version}`)),
  ].filter((each) => each instanceof Node)
  return facts.length > 0 && el('dl', { class: 'facts' }, ...facts)
}

const usageText = ({ latency_ms, tokens_in, tokens_out }: NonNullable<ReportCase['usage']>): string =>
  `${milliseconds(latency_ms)}, ${amount(tokens_in)} tokens in, ${amount(tokens_out)} out`
