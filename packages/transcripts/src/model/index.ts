export { hasAtMost, shortened, utf8Length } from './lengths.js'
export {
  describeLosses,
  type FieldTree,
  fieldsOf,
  holdsText,
  type KnownFields,
  Losses,
  ofType,
  reasons,
  textOnly,
  unreadIn,
} from './losses.js'
export { jsonProblem, type Problem, TranscriptFileError } from './problem.js'
export type { ReadOptions } from './read-options.js'
export {
  type ConversationDraft,
  elementsOf,
  type Loss,
  type Place,
  type Placed,
  type Role,
  roles,
  startOfFile,
  type ToolCall,
  type ToolResult,
  type Turn,
  within,
} from './turn.js'
