export { reportCommand } from './report.js'
