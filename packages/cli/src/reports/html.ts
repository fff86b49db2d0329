import type { CheckReport, ReportTurn } from '../checks/report.js'
import { script, scriptHash, style, styleHash } from './generated/viewer.js'
import { summaryOf, titleOf, verdictOf } from './html-summary.js'
import { casesBlock, type EmbeddedTurn, embedded, reportBlock, turnsBlock } from './viewer/embedded.js'

/** Nothing is fetched, and nothing runs but the one script: whatever a transcript says. */
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${scriptHash}'`,
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * The report as one page that needs nothing else. Cases come before the script, and turns after it, so that a long report
 * can be used while it is still read.
 */
export function* html(report: CheckReport): Generator<string> {
  const { cases, ...rest } = report
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="svc check">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${titleOf(report)}</title>
<style>${style}</style>
</head>
<body>
${verdictOf(report)}
<main id="content">
<noscript>
`
  yield* summaryOf(report)
  yield `</noscript>
</main>
${opening(reportBlock)}${embedded(rest)}${closing}${opening(casesBlock)}[`
  for (const [index, { turns: _, ...each }] of cases.entries()) yield `${index > 0 ? ',\n' : ''}${embedded(each)}`
  yield `]${closing}<script>${script}</script>\n`
  for (const [index, { turns }] of cases.entries()) {
    if (turns) yield `${opening(turnsBlock(index))}${embedded(turns.map(shortTurn))}${closing}`
  }
  yield '</body>\n</html>\n'
}

const opening = (id: string): string => `<script type="application/json" id="${id}">`
const closing = '</script>\n'

const shortTurn = ({ role, content, line, column }: ReportTurn): EmbeddedTurn => [role, content, line, column]
