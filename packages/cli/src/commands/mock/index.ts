export { mockCommand } from './mock.js'
