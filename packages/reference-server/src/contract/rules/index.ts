export type { Service } from '../service.js'
export { createTrial, type Rule } from '../trial.js'
export { rules } from './all.js'
export { allBut, isoTimes, noTimes, type Sent } from './values.js'
