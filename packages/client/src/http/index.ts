export { type Answer, type Answered, answerOf } from './answer.js'
export * from './request.js'
export { type CallContext, type ClientState, type Ended, newState, type Reply, send } from './send.js'
