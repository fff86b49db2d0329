export { addBlocks, anthropicMessage, resultOf, textPart } from './anthropic.js'
export { addMessages } from './any.js'
export { inspectMessage, messageFields } from './inspect.js'
export { langchainMessage } from './langchain.js'
export {
  fallbackMessages,
  markAlternatives,
  messagesIn,
  messagesOfCall,
  type Placed,
  type Side,
} from './logged-messages.js'
export { formatOfCalls, marksOf } from './marks.js'
export { callFields, callsOf, openaiMessage, thoughtFields, thoughtIn } from './openai.js'
export { addItem, isItemType, responsesItem } from './responses.js'
export { uiMessage } from './ui-message.js'
