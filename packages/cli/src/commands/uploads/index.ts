export { uploadsCommand } from './uploads.js'
