import { type FieldsByPath, reportFields } from '../report/index.js'
import { caseChanges, caseFields, rateFields, sideFields } from './diff.js'

/** The fields of a comparison: those of its sides are fields of a report. */
export function diffFields(): FieldsByPath {
  const ofReport = reportFields()
  /** A part of a report, or some of its fields, at another path. */
  const part = (to: string, from: string, names = ofReport[from] ?? []): FieldsByPath => {
    const isShown = (path: string) => names !== 'any' && names.some((name) => `${path}.`.startsWith(`${name}.`))
    const below = Object.entries(ofReport).flatMap(([path, known]) => {
      const rest = from === '' ? path : path.startsWith(`${from}.`) ? path.slice(from.length + 1) : ''
      return isShown(rest) ? [[`${to}.${rest}`, known] as const] : []
    })
    return { [to]: names, ...Object.fromEntries(below) }
  }
  const sides = (path: string, from: string, names: readonly string[]) => ({
    ...part(`${path}before`, from, names),
    ...part(`${path}after`, from, names),
  })
  const turnover = (path: string) => ({
    [path]: ['began', 'ceased'],
    ...part(`${path}.began`, path),
    ...part(`${path}.ceased`, path),
  })
  return {
    '': ['worse', 'comparable', 'lost', 'exit', 'line', 'differences', 'before', 'after', 'counts', 'rates', 'cases'],
    differences: ['what', 'before', 'after'],
    ...sides('', '', sideFields),
    counts: [...caseChanges, 'same'],
    rates: ['of', 'by', 'slice', 'before', 'after'],
    ...part('rates.of', 'rates.of'),
    ...sides('rates.', 'rates', rateFields),
    cases: ['change', 'before', 'after', 'reasons', 'signals'],
    ...sides('cases.', 'cases', caseFields),
    ...turnover('cases.reasons'),
    ...turnover('cases.signals'),
  }
}
