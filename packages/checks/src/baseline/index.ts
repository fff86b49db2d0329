export * from './baseline.js'
export * from './baseline-file.js'
