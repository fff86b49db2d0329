import { count, cut, escapeHtml, escapeLine, percent } from '@svc/text'
import { samplesText } from '../compare/index.js'
import {
  asIs,
  type ComparedChange,
  type Comparison,
  caseLabel,
  caseTitle,
  labelLines,
  noiseText,
  placeOf,
} from '../report/index.js'
import { escapeMarkdown, escapeTableCell } from './escape.js'
import { type App, page, table } from './page.js'
import type { Style } from './style.js'

const command = 'svc report compare'

/** The lines of a comparison in a terminal, unless all changes are shown. */
const mostLines = 15

/** The changes on a page. */
const mostRows = 1000

/** A comparison for a person: its verdict, the figures behind it, and the first changes. */
export function* comparisonText(
  comparison: Comparison,
  style: Style,
  { showAll = false }: { showAll?: boolean } = {},
): Generator<string> {
  const { verdict, line, changes } = comparison
  const color = { worse: 'red', 'cannot tell': 'yellow', better: 'green', 'no difference found': 'green' } as const
  yield `${style(color[verdict], escapeLine(line))}\n`
  const facts = showAll ? factsOf(comparison) : withFewReasons(factsOf(comparison))
  for (const [name, text] of facts) yield `  ${name.padEnd(9)} ${cut(escapeLine(text), 160)}\n`
  // The verdict, the reference, two heads and the line for what is left out.
  const room = showAll ? Number.POSITIVE_INFINITY : Math.max(0, mostLines - facts.length - 5)
  const shown = changes.slice(0, Math.floor(room / 3))
  for (const [at, each] of shown.entries()) {
    if (each.change !== shown[at - 1]?.change) yield `${style('bold', each.change)}\n`
    yield `  ${style('bold', cut(escapeLine(caseTitle(each.new)), 60))}  ${stepOf(each)}  ${style('dim', escapeLine(placeOf(each.new, each.new)))}\n`
    yield `    was  ${cut(escapeLine(each.old.why), 120)}\n    is   ${cut(escapeLine(each.new.why), 120)}\n`
  }
  const left = changes.length - shown.length
  if (left > 0) yield `  … ${left} more: --show-all\n`
  yield `${style('dim', escapeLine(referenceText(comparison)))}\n`
}

/** The figures with at most two lines of reasons, so that there is room for all others. */
function withFewReasons(facts: readonly Fact[]): Fact[] {
  const [, ...more] = facts.filter(([name]) => name === 'also')
  const [second, ...others] = more
  if (others.length === 0) return [...facts]
  return facts.flatMap((fact): Fact[] =>
    fact === second ? [['also', `${more.length} more reasons: --show-all`]] : others.includes(fact) ? [] : [fact],
  )
}

/** As in `strong → poor`. */
const stepOf = ({ old, new: now, cause }: ComparedChange): string =>
  `${escapeLine(old.outcome ?? 'no outcome')} → ${escapeLine(now.outcome ?? 'no outcome')}${cause === 'content' ? '' : ` (${causeNames[cause]})`}`

const causeNames: Record<ComparedChange['cause'], string> = {
  content: 'content',
  judge: 'judge',
  repeat: 'repeat',
  content_or_judge: 'content or judge',
  rules: 'rules',
}

type Fact = [name: string, text: string]

/** The figures of a comparison, each a sentence with its name. */
function factsOf(comparison: Comparison): Fact[] {
  const {
    rules,
    causes,
    unchanged,
    read_differently,
    added,
    removed,
    not_judged,
    lost,
    independent,
    reasons,
    verdict,
  } = comparison
  const [, ...others] = reasons
  const { content_or_judge: mixed } = causes
  const drop = passRateText(comparison)
  const noise = noiseText(comparison)
  const gone = [
    ...(read_differently > 0 ? [`${read_differently} read differently from the same records`] : []),
    ...(added.total > 0 ? [`${added.total} added (${failText(added.fail)})`] : []),
    ...(removed.total > 0 ? [`${removed.total} removed (${removed.fail} failed)`] : []),
  ]
  const unjudged = [
    ...(not_judged > 0 ? [`${not_judged} not judged before`] : []),
    ...(lost > 0 ? [`${count(lost, 'judgement')} lost`] : []),
  ]
  return [
    ...(drop ? [['pass rate', drop] satisfies Fact] : []),
    ...(verdict === 'cannot tell' ? others : reasons).map((reason): Fact => ['also', reason]),
    ['judge', judgeText(comparison)],
    [
      'rules',
      rules.differences.length === 0
        ? 'the same'
        : `${settingsText(rules.differences)}; of the old verdicts ${changesText(rules)}`,
    ],
    ...(noise ? [['noise', noise] satisfies Fact] : []),
    ['repeats', repeatText(causes.repeat, unchanged)],
    ...(mixed.pairs > 0
      ? [
          [
            'mixed',
            `${mixed.pairs} with other content and another judge, ${changesText(mixed)}: not attributed`,
          ] satisfies Fact,
        ]
      : []),
    ...(gone.length > 0 ? [['unpaired', `${gone.join(', ')}: not compared`] satisfies Fact] : []),
    ...(unjudged.length > 0 ? [['judged', unjudged.join(', ')] satisfies Fact] : []),
    ...(independent && verdict !== 'cannot tell' ? [['samples', samplesText(independent)] satisfies Fact] : []),
    ...powerText(comparison).map((text): Fact => ['power', text]),
    ...labelTexts(comparison).map((text): Fact => ['labels', text]),
  ]
}

/** Both reports beside the labels: what holds for both is said once. */
function labelTexts({ labels }: Comparison): string[] {
  if (!labels) return []
  const [old, now] = [labelLines(labels.old, asIs), labelLines(labels.new, asIs)]
  return [
    ...old.filter((line) => now.includes(line)),
    ...old.filter((line) => !now.includes(line)).map((line) => `OLD: ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `NEW: ${line}`),
  ]
}

const failText = (n: number): string => `${n} ${n === 1 ? 'fails' : 'fail'}`

const changesText = ({ now_fail, no_longer_fail }: { now_fail: number; no_longer_fail: number }): string =>
  `${now_fail} now ${now_fail === 1 ? 'fails' : 'fail'}, ${no_longer_fail} no longer ${no_longer_fail === 1 ? 'does' : 'do'}`

const points = (share: number): string => `${Number(Math.abs(share * 100).toFixed(1))}`

/** As in `89.6 → 78.1 %, down 11.5 points (at least 5, at most 19)`. */
function passRateText({ pass_rate: rate, drop }: Comparison): string | undefined {
  if (!rate) return undefined
  const change = rate.new - rate.old
  const step = `${percent(rate.old).replace(' %', '')} → ${percent(rate.new)}`
  if (!drop) return step
  const whole = (share: number) => Math.round(Math.abs(share * 100))
  const direction = change === 0 ? 'no change' : `${change < 0 ? 'down' : 'up'} ${points(change)} points`
  const { least, most } = drop
  if (least < 0 && most > 0) return `${step}, ${direction} (between ${whole(least)} up and ${whole(most)} down)`
  const [low, high] = [whole(least), whole(most)].sort((a, b) => a - b)
  return `${step}, ${direction} (at least ${low}, at most ${high})`
}

const settingsText = (all: Comparison['judge']): string =>
  all.map((each) => `${each.what} ${cut(each.old, 60)} → ${cut(each.new, 60)}`).join('; ')

function judgeText({ judge, new: { annotator, versions }, causes: { judge: same } }: Comparison): string {
  const versionText = versions.map((each) => ` ${each.annotator_version}, taxonomy ${each.taxonomy_version}`).join(';')
  if (judge.length === 0 && same.pairs === 0) return `the same: ${annotator}${versionText}`
  const moved = same.pairs > 0 ? `of ${same.pairs} unchanged ${changesText(same)}: ${same.verdict}; ` : ''
  return `${moved}${judge.length === 0 ? 'another version for some' : settingsText(judge)}`
}

function repeatText(repeat: Comparison['causes']['repeat'], unchanged: number): string {
  const kept = unchanged > 0 ? `${unchanged} unchanged and not asked again` : ''
  if (repeat.pairs > 0)
    return `of ${repeat.pairs} unchanged and asked again ${changesText(repeat)}: ${repeat.verdict}${kept && `; ${kept}`}`
  return kept ? `${kept}: drift unknown (--control ${unchanged})` : 'none unchanged: drift unknown'
}

function powerText({ causes, count: decisive, drop, smallest_drop }: Comparison): string[] {
  const pairs = decisive.reduce((sum, cause) => sum + causes[cause].pairs, 0)
  if (pairs === 0 || !drop) return []
  if (smallest_drop === null) return [`too few to find any drop 9 times in 10: ${count(pairs, 'pair')}`]
  return [`${count(pairs, 'pair')} find a drop of ${Math.ceil(smallest_drop * 100)} points 9 times in 10`]
}

/** As in `reference: main.json, commit a1b2c3d, 3 h earlier`. */
function referenceText({ old, new: now }: Comparison): string {
  const ms = Date.parse(now.ended_at ?? '') - Date.parse(old.ended_at ?? '')
  const parts = [
    `reference: ${old.from}`,
    ...(old.commit ? [`commit ${old.commit.slice(0, 7)}`] : []),
    ...(ms >= 0 ? [`${agoText(ms)} earlier`] : []),
  ]
  return parts.join(', ')
}

function agoText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : count(Math.round(minutes / 1440), 'day')
}

const shown = (text: string): string => escapeMarkdown(cut(text, 500))

/** The figures of a comparison as items of Markdown. */
export const comparisonItems = (comparison: Comparison): string[] =>
  [...factsOf(comparison), ['reference', referenceText(comparison).replace('reference: ', '')] as const].map(
    ([name, text]) => `${name}: ${shown(text)}\n`,
  )

/** A row of Markdown for each change: the transcript, and both reasons side by side. */
export const changeRow = ({ old, new: now, cause, change }: ComparedChange): string => {
  const cell = (text: string) => escapeTableCell(cut(text, 300))
  const side = ({ outcome, why }: ComparedChange['old']) => `${cell(outcome ?? 'no outcome')}: ${cell(why)}`
  return `| ${cell(caseTitle(now))} (${cell(caseLabel(now))}) | ${change} (${causeNames[cause]}) | ${side(old)} | ${side(now)} |\n`
}

export const changesHead = '| Transcript | Change | Was | Is |\n|---|---|---|---|\n'

/** The head of a comparison as Markdown. */
export const comparisonHead = ({ verdict, line }: Comparison): string =>
  `## ${command}: ${verdict}\n\n${escapeMarkdown(line)}\n\n`

export const notComparedMarkdown = (lines: readonly string[]): string[] => [
  `## ${command}: not compared\n\n${lines.map((line) => `${escapeMarkdown(line)}\n`).join('\n')}`,
]

/** Long texts are in the reports themselves. */
const safe = (text: string): string => escapeHtml(cut(text, 500))

/** The figures and the changes of a comparison, as HTML. */
export function* comparisonTables(comparison: Comparison): Generator<string> {
  const row = (cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`
  const facts = factsOf(comparison).map(([name, text]) => row([name, safe(text)]))
  yield* table({ title: 'Compared with', names: ['', safe(referenceText(comparison))] }, facts)
  if (comparison.changes.length === 0) return
  const side = ({ outcome, why }: ComparedChange['old']) => `<b>${safe(outcome ?? 'no outcome')}</b><br>${safe(why)}`
  const names = ['Transcript', 'Change', 'Was', 'Is']
  const changes = comparison.changes
    .slice(0, mostRows)
    .map(({ old, new: now, change, cause }) =>
      row([
        `${safe(caseTitle(now))}<br><span class="soft">${safe(placeOf(now, now))}</span>`,
        `${change} (${causeNames[cause]})`,
        side(old),
        side(now),
      ]),
    )
  yield* table({ title: 'Changes', names }, changes)
  const left = comparison.changes.length - changes.length
  if (left > 0) yield `<p class="soft">and ${left} more: --report json has all</p>\n`
}

export function* comparisonPage(comparison: Comparison, app: App): Generator<string> {
  const kinds = { worse: 'failed', 'cannot tell': 'not-judged', better: 'passed', 'no difference found': 'passed' }
  yield* page(app, { title: safe(comparison.line), command }, [
    head(kinds[comparison.verdict], comparison.line),
    '<main id="content">\n',
    ...comparisonTables(comparison),
    '</main>\n',
  ])
}

const head = (kind: string, line: string): string => {
  const [word = '', ...rest] = line.split(':')
  const text = rest.length > 0 ? `:${rest.join(':')}` : ''
  return `<header class="top verdict-${kind}">\n<h1><span class="word">${safe(word)}</span>${safe(text)}</h1>\n</header>\n`
}

/** The page in place of a comparison that was refused. */
export const notComparedPage = (lines: readonly string[], app: App): Iterable<string> =>
  page(app, { title: 'not compared', command }, [
    head('not-judged', 'not compared'),
    `<main id="content">\n${lines.map((line) => `<p class="soft">${safe(line)}</p>\n`).join('')}</main>\n`,
  ])
