import { casesBlock, type EmbeddedCase, type EmbeddedReport, reportBlock, turnsBlock } from '../embedded.js'

const textOf = (id: string): string | undefined => document.getElementById(id)?.textContent ?? undefined

const parsed = <Value>(id: string, fallback: string): Value => JSON.parse(textOf(id) ?? fallback)

export const readReport = (): EmbeddedReport => parsed(reportBlock, 'null')
export const readCases = (): EmbeddedCase[] => parsed(casesBlock, '[]')

/** The turns of a case as the JSON that the page holds; undefined where it holds none, or has not got so far. */
export const rawTurns = (index: number): string | undefined => textOf(turnsBlock(index))

/** Cases can be read and chosen while their turns still arrive. */
export const wholePage = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.readyState !== 'loading') resolve()
    else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true })
  })
