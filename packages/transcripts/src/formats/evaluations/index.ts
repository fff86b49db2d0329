export { atif } from './atif.js'
export { inspect } from './inspect.js'
export { sweAgent } from './swe-agent.js'
export { tauBench } from './tau-bench.js'
