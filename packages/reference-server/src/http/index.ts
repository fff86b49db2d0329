export { allowedHostProblem, allowedOriginProblem } from './callers.js'
export { createFetch, type Fetch } from './fetch.js'
export { type CloseOptions, type Listening, type ListenOptions, listen } from './listen.js'
