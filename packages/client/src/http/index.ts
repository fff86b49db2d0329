export * from './request.js'
export { type CallResult, type ResponsePromise, responsePromise } from './response-promise.js'
export { type CallContext, type ClientState, type Ended, newState, type Reply, send } from './send.js'
