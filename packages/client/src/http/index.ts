export { type Answer, type Answered, answerOf } from './answer.js'
export { type BuiltRequest, buildRequest, type RequestInput } from './request.js'
export { type CallContext, type ClientState, newState, type Reply, send } from './send.js'
export { type AnnotationWire, createWires, type Wires, type WorkspaceWire } from './wires.js'
