export { contentOf, countPart } from './content.js'
export {
  ConversationBuilder,
  type MessageContext,
  ModelCounts,
  type ToolCallInput,
  type ToolResultInput,
} from './conversation-builder.js'
export { decoded } from './decoded.js'
export { countSentences, countWords, idOf, isFact, metadataIn } from './facts.js'
export { settle } from './finalize.js'
export { fitName } from './fit-fields.js'
export { mediaOf } from './media.js'
export { clean, cleanText } from './sanitize.js'
export { toolOutput } from './tool-values.js'
