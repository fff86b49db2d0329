export { langchain } from './langchain.js'
export { uiMessages } from './ui-messages.js'
