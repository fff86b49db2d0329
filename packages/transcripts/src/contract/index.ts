export {
  eachRecord,
  type FileRecord,
  type Format,
  type MessageShape,
  placeIn,
  type Reader,
  type ReaderContext,
  type Report,
  roleIn,
} from './format.js'
export { LogReader } from './log-reader.js'
export { type MessageList, readerOfLists, scoreOfList } from './message-list.js'
export { branchesOf, type Parents, pathOf } from './message-tree.js'
export {
  uploadHead,
  uploadHeadFields,
  usualHead,
  usualHeadFields,
  usualMessage,
  usualMessageFields,
} from './usual-fields.js'
