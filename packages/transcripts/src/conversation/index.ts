export { contentOf, countPart } from './content.js'
export {
  ConversationBuilder,
  type MessageContext,
  ModelCounts,
  type ToolCallInput,
  type ToolResultInput,
} from './conversation-builder.js'
export { idOf, isMetadataValue, metadataIn, shortFields } from './facts.js'
export { finalizeTurn } from './finalize.js'
export { fitName } from './fit-fields.js'
export { parseJsonText } from './json-text.js'
export { mediaOf } from './media.js'
export { sanitize, sanitizeText } from './sanitize.js'
export { toolOutput } from './tool-values.js'
