export { type SelectionRule, select, selectsUnread } from './selection.js'
