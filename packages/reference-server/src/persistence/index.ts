export type { Change, Store } from '../world/index.js'
export { openStore } from './open-store.js'
export { StoreError, type StoreFailure } from './sqlite.js'
