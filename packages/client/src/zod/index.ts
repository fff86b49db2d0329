export * from './schemas.js'
