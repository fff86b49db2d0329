import { levelText } from '../../checks/policy/policy.js'
import { count, inert } from '../../text.js'
import { circumstancesOf } from '../words.js'
import { el } from './element.js'
import type { EmbeddedReport } from './embedded.js'
import { fact, panel } from './panel.js'
import { amount, milliseconds, share } from './words.js'

/** What the check held transcripts to. */
export function policyPanel(report: EmbeddedReport): HTMLElement {
  const { policy, versions, annotator } = report
  const { failOn, forbidden, allowed, required, indeterminate, minJudged, confidence, overrides } = policy
  const { maxTokens, deadlineMs } = policy
  const names = (signals: readonly string[]) => signals.map(inert).join(', ')
  return panel(
    'What was checked',
    el(
      'dl',
      { class: 'facts' },
      fact('annotator', inert(annotator)),
      ...versions.map((each) =>
        fact('version', `${inert(each.annotator_version)}, taxonomy ${inert(each.taxonomy_version)}`),
      ),
      fact('fails on', failOn === 'none' ? 'no outcome' : levelText(failOn)),
      forbidden.length > 0 && fact('forbidden signals', names(forbidden)),
      allowed && fact('allowed signals', allowed.length > 0 ? names(allowed) : 'none'),
      required.length > 0 && fact('required signals', names(required)),
      fact('indeterminate', indeterminate),
      fact('to be judged', share(minJudged, 1)),
      typeof confidence === 'number' && fact('confidence', String(confidence)),
      typeof maxTokens === 'number' && fact('at most', `${amount(maxTokens)} tokens`),
      typeof deadlineMs === 'number' && fact('within', milliseconds(deadlineMs)),
      overrides.length > 0 && fact('other rules', `${count(overrides.length, 'group')} of files`),
      ...circumstancesOf(report).map(([name, value]) => fact(name.replaceAll('_', ' '), inert(value))),
    ),
  )
}

/** What the run could not do, and rules that matched nothing. */
export const notesPanel = (notes: readonly string[]): HTMLElement =>
  panel('Notes', el('ul', {}, ...notes.map((note) => el('li', {}, note))))

/** What of the transcripts was not sent as it stands in the files. */
export const lossesPanel = ({ losses, redacted }: EmbeddedReport): HTMLElement =>
  panel(
    'Not sent as it stands in the files',
    el(
      'dl',
      { class: 'facts' },
      ...losses.map((loss) => fact(loss.code, `${inert(loss.what)} (${amount(loss.count)}): ${inert(loss.why)}`)),
      ...Object.entries(redacted).map(([what, n]) => fact('redacted', `${inert(what)} (${amount(n)})`)),
    ),
  )
