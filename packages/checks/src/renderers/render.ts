import { escapeJson } from '@svc/text'
import type { CheckReport, Comparison } from '../report/index.js'
import { comparisonPage, comparisonText, notComparedMarkdown, notComparedPage } from './comparison.js'
import { fromRoot } from './from-root.js'
import { github, longestSummary, stepSummary } from './github.js'
import { gitlab } from './gitlab.js'
import { html } from './html.js'
import { json, withoutTurns } from './json.js'
import { junit } from './junit.js'
import { comparisonMarkdown, markdownWithin } from './markdown.js'
import { loadApp } from './page.js'
import { sarif } from './sarif.js'
import type { Style } from './style.js'
import { terminal } from './terminal.js'

/** The forms of a report that are files. */
export const reportForms = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html'] as const
/** A form of a report that is a file. */
export type ReportForm = (typeof reportForms)[number]

/** The forms of a comparison that are files. */
export const comparisonForms = ['json', 'md', 'html'] as const
/** A form of a comparison that is a file. */
export type ComparisonForm = (typeof comparisonForms)[number]

/** `github`: workflow commands. `summary`: Markdown for the file in GITHUB_STEP_SUMMARY. `terminal`: for a person. */
export type OutputForm = ReportForm | 'github' | 'summary' | 'terminal'

/** Options of `render`. */
export interface RenderOptions {
  /** The working directory and the root of the repository, absolute: SARIF, GitLab and GitHub name files from the root. */
  from?: { cwd: string; root: string }
  /** JSON has the turns, too. */
  withTurns?: boolean
  /** Of `summary`: the bytes that are in the file already. Default: 0. */
  bytesBefore?: number
  /** Of `terminal`. Default: none. */
  style?: Style
  /** The terminal lists what does not fail, too. */
  verbose?: boolean
  /** The terminal shows every failed and every flaky transcript, however many there are. */
  showAll?: boolean
}

/** The bytes of a Markdown report: a comment on GitHub has at most 65 536 characters. */
const mostOfComment = 60_000

/** A report in a form, in parts. Equal reports give equal bytes. */
export async function render(
  report: CheckReport,
  form: OutputForm,
  { from, withTurns, bytesBefore = 0, style = unstyled, ...shown }: RenderOptions = {},
): Promise<Iterable<string>> {
  const ofRepository = () => (from ? fromRoot(report, from.root, from.cwd) : report)
  switch (form) {
    case 'json':
      return json(withTurns ? report : withoutTurns(report))
    case 'junit':
      return junit(report)
    case 'sarif':
      return sarif(ofRepository())
    case 'gitlab':
      return gitlab(ofRepository())
    case 'md':
      return markdownWithin(report, mostOfComment)
    case 'html':
      return html(report, await loadApp())
    case 'github':
      return github(ofRepository())
    case 'summary':
      return stepSummary(report, longestSummary - bytesBefore)
    case 'terminal':
      return terminal(report, style, shown)
  }
}

const unstyled: Style = (_, text) => text

/** A comparison of two reports in a form, in parts. Equal comparisons give equal bytes. `showAll` is for the terminal. */
export async function renderComparison(
  comparison: Comparison,
  form: ComparisonForm | 'terminal',
  { style = unstyled, showAll = false }: Pick<RenderOptions, 'style' | 'showAll'> = {},
): Promise<Iterable<string>> {
  if (form === 'json') return [`${escapeJson(comparison, 2)}\n`]
  if (form === 'md') return comparisonMarkdown(comparison, mostOfComment)
  return form === 'html' ? comparisonPage(comparison, await loadApp()) : comparisonText(comparison, style, { showAll })
}

/** The reason why two reports are not compared, in place of the comparison. `document` is its JSON. */
export async function renderNotCompared(
  lines: readonly string[],
  document: unknown,
  form: ComparisonForm,
): Promise<Iterable<string>> {
  if (form === 'json') return [`${escapeJson(document, 2)}\n`]
  return form === 'md' ? notComparedMarkdown(lines) : notComparedPage(lines, await loadApp())
}
