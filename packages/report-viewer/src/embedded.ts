import type { CheckReport, ReportCase } from './report.js'
import { inertJson } from './text.js'

/** What a page holds of a report beside its cases. */
export type EmbeddedReport = Omit<CheckReport, 'cases'>

/** A case as a page holds it; its turns stand apart, since most of them are never opened. */
export type EmbeddedCase = Omit<ReportCase, 'turns'>

/** A turn in few bytes: its role, content, line and column. */
export type EmbeddedTurn = [role: string, content: string, line: number | null, column: number | null]

/** The ids of the blocks of JSON in a page. */
export const reportBlock = 'report'
export const casesBlock = 'cases'
export const turnsBlock = (index: number): string => `turns-${index}`

/** JSON that can stand in a page: nothing in it ends the block that it stands in. */
export const embedded = (value: unknown): string => inertJson(value).replaceAll('<', '\\u003c')
