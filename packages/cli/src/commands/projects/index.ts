export { projectsCommand } from './command.js'
