export { limits, roles } from './limits.js'
export { checkAnnotation, checkProject, checkUpload, type InputReport, isIsoTime, validation } from './rules.js'
