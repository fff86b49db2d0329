export { type AllowedCallers, allowedHostProblem, allowedOriginProblem } from './allowed-hosts.js'
export { createFetch, type EdgeParts, type Fetch } from './fetch.js'
export { type CloseOptions, type Listening, type ListenOptions, listen } from './listen.js'
export type { TlsCertificate } from './tls.js'
