export * from './losses.js'
export * from './problem.js'
export * from './read-options.js'
export * from './turn.js'
