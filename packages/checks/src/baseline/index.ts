export {
  type Baseline,
  type BaselineEntry,
  baselineReport,
  type CheckedPlaces,
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
export {
  baselineParts,
  baselineText,
  notComparable,
  pathFrom,
  readBaseline,
  refuseOtherAnnotator,
  requiredBaseline,
} from './baseline-file.js'
