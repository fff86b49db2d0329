export { turns, upload } from './upload.js'
