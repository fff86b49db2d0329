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
export { mediaOf } from './media.js'
export { sanitize, sanitizeText } from './sanitize.js'
export { parseJsonText, toolOutput } from './tool-values.js'
