export { intercom } from './intercom.js'
export { zendesk } from './zendesk.js'
