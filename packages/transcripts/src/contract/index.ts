export { conversationIdIn, idFieldsOf } from './conversation-id.js'
export { cueTimes } from './cue-times.js'
export type * from './declaration.js'
export { defineFormat } from './define-format.js'
export * from './escaped-markdown.js'
export * from './failed-request.js'
export * from './format.js'
export * from './held-lines.js'
export { IdSearch } from './id-search.js'
export { declaredMaps, mappedIn, mappedMessages } from './mapped.js'
export * from './message-list.js'
export { asBranch, branchesOf, branchesOfList, type Parents, pathOf, withBranchLosses } from './message-tree.js'
export * from './messages/index.js'
export { inOrder, isTwoParty, withOrderLoss } from './order.js'
export {
  aliasedRole,
  chosenSpeaker,
  countOtherRole,
  countUnknownRole,
  namesBot,
  noteSpeakers,
  roleByFlag,
  roleHint,
  roleShown,
  rolesText,
  type Speaker,
  unknownSpeaker,
  type WrongMap,
  wrongMap,
} from './role-aliases.js'
export { HashSet, hashOf, type RowGroup, RowGroups } from './row-groups.js'
export { mayBeId, readerOfLists, rowTooLate, tooLate } from './rows.js'
export { roleOfSpeaker, speakerLine } from './speakers.js'
export * from './text-format.js'
export { visibleIn } from './visibility.js'
