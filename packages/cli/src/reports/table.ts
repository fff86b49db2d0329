import type { CheckReport } from '../checks/report.js'

/** Every report that can be written to a file. */
export const reportIds = ['json', 'junit', 'sarif', 'md', 'html'] as const
export type ReportId = (typeof reportIds)[number]

/** A report as parts of a text: the same report gives the same bytes. */
export type Renderer = (report: CheckReport) => Iterable<string>

/** Loaded when it is asked for. */
export const rendererOf: Record<ReportId, () => Promise<Renderer>> = {
  json: async () => (await import('./json.js')).json,
  junit: async () => (await import('./junit.js')).junit,
  sarif: async () => (await import('./sarif.js')).sarif,
  md: async () => (await import('./markdown.js')).markdown,
  html: async () => (await import('./html.js')).html,
}
