export {
  createUploader,
  type Uploader,
  type UploaderEvent,
  type UploaderOptions,
  type UploaderResult,
  type UploaderStats,
} from './uploader.js'
