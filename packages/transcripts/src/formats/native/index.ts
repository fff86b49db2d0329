export { turns } from './turns.js'
export { upload } from './upload.js'
