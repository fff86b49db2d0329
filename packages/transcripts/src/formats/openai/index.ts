export { openaiChat } from './chat.js'
export { chatgptExport } from './chatgpt-export.js'
export { openaiResponses } from './responses.js'
