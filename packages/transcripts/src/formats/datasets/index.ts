export { dialogues } from './dialogues.js'
export { oasst } from './oasst.js'
export { sharegpt } from './sharegpt.js'
export { table } from './table.js'
