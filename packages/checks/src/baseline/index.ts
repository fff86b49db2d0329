export * from './acceptance.js'
export * from './baseline.js'
export * from './baseline-file.js'
export * from './next-baseline.js'
