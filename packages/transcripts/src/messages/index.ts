export { addBlocks, anthropicMessage, resultOf, textPart } from './anthropic.js'
export { addMessages } from './any.js'
export { textOfHtml } from './html.js'
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
export { callFields, callsOf, formatOfCalls, marksOf, openaiMessage, thoughtFields, thoughtIn } from './openai.js'
export { addItem, isItemType, responsesItem } from './responses.js'
export { uiMessage } from './ui-message.js'
