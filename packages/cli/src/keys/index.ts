export { confirmForm, givenKey, verify } from './new-key.js'
export { inWords, isAccepted, type Probed, probe, type Standing } from './probe.js'
