import fc from 'fast-check'
import { seed } from './long.js'

// Each property draws by `SVC_SEED`, so that a run of the tests can be repeated.
fc.configureGlobal({ seed })
