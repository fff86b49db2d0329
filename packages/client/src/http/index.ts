export { type Answer, type Answered, answerOf } from './answer.js'
export { rawBody } from './attempt.js'
export * from './request.js'
export { type CallContext, type ClientState, type Ended, newState, type Reply, send } from './send.js'
