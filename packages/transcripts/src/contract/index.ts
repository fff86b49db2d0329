export * from './format.js'
export * from './message-list.js'
export { branchesOf, type Parents, pathOf } from './message-tree.js'
