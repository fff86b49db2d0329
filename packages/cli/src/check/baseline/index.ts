export {
  type Baseline,
  baselineReport,
  digestOf,
  foundBaseline,
  type Identity,
  lookedAt,
  type Matched,
  matchBaseline,
  type NextBaseline,
  nextBaseline,
  staleText,
} from './baseline.js'
export { notComparable, pathFrom, readBaseline, refuseUnwritableBaseline, writeBaseline } from './baseline-file.js'
