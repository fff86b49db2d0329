import { count } from '@svc/text'
import { escapeHtml } from '../validation/index.js'
import { type ContractResult, type RuleResult, readingText } from './contract-result.js'
import type { Compared, Drift } from './drift.js'
import type { Exchange } from './service.js'

const counted = (rules: readonly RuleResult[]) => {
  const of = (result: RuleResult['result']) => rules.filter((rule) => rule.result === result).length
  return `${of('as described')} as described, ${of('different')} different, ${of('not tried')} not tried`
}

/** A result as text: every ambiguity, the rules that differ, and the reasons why others were not tried. */
export function contractText({ rules, ambiguities, requests, created }: ContractResult): string {
  const different = rules.filter(({ result }) => result === 'different')
  const reasons = new Map<string, number>()
  for (const { result, reason = '' } of rules)
    if (result === 'not tried') reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  return [
    'Ambiguities of the interface',
    ...Object.entries(ambiguities).map(([name, seen]) => `  ${name}: ${readingText(seen)}`),
    '',
    `Rules of the interface: ${counted(rules)}`,
    ...different.map((rule) => [`  different: ${rule.name} (${rule.reason})`, ...exchangesOf(rule)].join('\n')),
    ...[...reasons].map(([reason, rules]) => `  not tried, ${count(rules, 'rule')}: ${reason}`),
    '',
    `${requests} requests; created ${createdText(created)}`,
    '',
  ].join('\n')
}

/** Numbers of records, as in `1 project, 12 transcripts and 0 annotations`. */
export const createdText = ({ projects, transcripts, annotations }: ContractResult['created']): string =>
  `${count(projects, 'project')}, ${count(transcripts, 'transcript')} and ${count(annotations, 'annotation')}`

const exchangesOf = ({ exchanges = [] }: RuleResult): string[] =>
  exchanges.flatMap(({ method, path, answer }) => [
    `    → ${method} ${path}`,
    `    ← ${answer ? `${answer.status} ${oneLine(answer.text)}` : 'no answer'}`,
  ])

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200)

/** A comparison as text: only what is not the same, and rules that differ for another reason than before. */
export function driftText({ verdict, compared }: Drift): string {
  const shown = compared.filter(({ result, isOtherwise }) => result !== 'same' || isOtherwise)
  const same = compared.filter(({ result }) => result === 'same').length
  const titleOf = ({ result, isOtherwise }: Compared) => (isOtherwise ? 'same, for another reason' : result)
  return [
    ...shown.map((each) => `${titleOf(each)}: ${each.name}\n  before: ${each.before}\n  now:    ${each.now}`),
    `${verdict}: ${same} of ${compared.length} rules and ambiguities are the same`,
    '',
  ].join('\n')
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{border:1px solid #8888;padding:.3rem .6rem;text-align:left;vertical-align:top}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}.different{color:#b00020;font-weight:600}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}.different{color:#ff8a80}}'

/** A result as one HTML page that loads nothing. */
export function contractPage(result: ContractResult): string {
  const { at, base_url, public_base_url, rules, ambiguities, requests, created } = result
  const places = [base_url, public_base_url].filter((url) => url !== null).join(' · ')
  const order = ['different', 'not tried', 'as described']
  const sorted = [...rules].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result))
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline'">
<title>Contract of ${escapeHtml(places)}</title><style>${style}</style>
<h1>Contract</h1>
<p>${escapeHtml(places)}, ${escapeHtml(at)}: ${requests} requests; created ${createdText(created)}.</p>
<h2>Ambiguities of the interface</h2>
<table><thead><tr><th>ambiguity<th>reading</thead><tbody>
${Object.entries(ambiguities)
  .map(([name, seen]) => `<tr><td><code>${escapeHtml(name)}</code><td>${escapeHtml(readingText(seen))}`)
  .join('\n')}
</tbody></table>
<h2>Rules of the interface</h2>
<p>${counted(rules)}</p>
<table><thead><tr><th>result<th>rule<th>interface</thead><tbody>
${sorted.map(rowOf).join('\n')}
</tbody></table>
</html>
`
}

const rowOf = ({ result, name, source, reason, exchanges = [] }: RuleResult) =>
  `<tr><td class="${result.replace(' ', '-')}">${result}<td>${escapeHtml(name)}${reason ? `<br>${escapeHtml(reason)}` : ''}${exchanges
    .map((exchange) => `<pre>${escapeHtml(exchangeText(exchange))}</pre>`)
    .join('')}<td>${escapeHtml(source)}`

const exchangeText = ({ method, path, headers, body, answer }: Exchange) =>
  [
    `→ ${method} ${path}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : [`  ${body}`]),
    answer ? `← ${answer.status}\n  ${answer.text}` : '← no answer',
  ].join('\n')
