/** The forms of a report that a file can have. */
export const reportForms = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html', 'csv'] as const
export type ReportForm = (typeof reportForms)[number]

export const diffForms = ['json', 'md', 'html'] as const
export type DiffForm = (typeof diffForms)[number]

export const historyForms = ['json', 'html'] as const
export type HistoryForm = (typeof historyForms)[number]
