import { escapeJson } from '@svc/text'
import type { CheckReport, ReportCase } from './report.js'

export type EmbeddedReport = Omit<CheckReport, 'cases'>

/** The turns are separate blocks, because most of them are never opened. */
export type EmbeddedCase = Omit<ReportCase, 'turns'>

export type EmbeddedTurn = [role: string, content: string, line: number | null, column: number | null]

export const reportBlock = 'report'
export const casesBlock = 'cases'
export const turnsBlock = (index: number): string => `turns-${index}`

/** JSON that cannot end the script block around it. */
export const embedded = (value: unknown): string => escapeJson(value).replaceAll('<', '\\u003c')
