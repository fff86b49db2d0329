export { rules } from './all.js'
export { allBut, isoTimes, noTimes, type Sent } from './values.js'
