export { langfuse } from './langfuse.js'
export { langsmith } from './langsmith.js'
export { otel } from './otel.js'
export { weave } from './weave.js'
