export {
  type Baseline,
  baselineReport,
  checkedPlaces,
  digestOf,
  foundBaseline,
  type Identity,
  type Matched,
  matchBaseline,
  type NextBaseline,
  nextBaseline,
  staleText,
} from './baseline.js'
export { notComparable, pathFrom, readBaseline, refuseUnwritableBaseline, writeBaseline } from './baseline-file.js'
