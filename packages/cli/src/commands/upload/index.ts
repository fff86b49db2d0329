export { uploadCommand } from './upload.js'
