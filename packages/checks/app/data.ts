import { type EmbeddedSample, sampleBlock } from '../src/labels/words.js'
import { casesBlock, type EmbeddedCase, type EmbeddedReport, reportBlock, turnsBlock } from '../src/report/embedded.js'

const textOf = (id: string): string | undefined => document.getElementById(id)?.textContent ?? undefined

const parsed = <Value>(id: string, fallback: string): Value => JSON.parse(textOf(id) ?? fallback)

/** Null on the page of a report. */
export const readSample = (): EmbeddedSample | null => parsed(sampleBlock, 'null')
export const readReport = (): EmbeddedReport => parsed(reportBlock, 'null')
export const readCases = (): EmbeddedCase[] => parsed(casesBlock, '[]')

/** Undefined if the report has no turns, or while the page loads. */
export const rawTurns = (index: number): string | undefined => textOf(turnsBlock(index))

/** The turns are at the end of the page. */
export const wholePage = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.readyState !== 'loading') resolve()
    else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true })
  })
