export { type DiffForm, diffForms, type HistoryForm, historyForms, type ReportForm, reportForms } from './forms.js'
export { withoutTurns } from './json.js'
export { renderPage } from './page.js'
export { type OutputForm, type RenderOptions, render, renderDiff, renderHistory, renderNotCompared } from './render.js'
