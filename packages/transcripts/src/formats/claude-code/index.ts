export { claudeAgentSdk } from './agent-sdk.js'
export { claudeCode } from './claude-code.js'
