export { claudeAiExport } from './claude-ai-export.js'
export { anthropicManagedAgents } from './managed-agents.js'
export { anthropicMessages } from './messages.js'
