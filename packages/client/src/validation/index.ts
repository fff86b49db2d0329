export {
  checkAnnotation,
  checkProject,
  checkUpload,
  type InputReport,
  isIsoTime,
  limits,
  roles,
  validation,
} from './rules.js'
