export { isWritable, jsonBounds as bounds, parseJson } from '@svc/text'
export { type Connection, checkBaseUrl, connect, type Expected } from './connect.js'
export { jsonOr, jsonOrText } from './json.js'
export { configuredKeys, formOf, formsOf, type KeyForm, masked } from './keys.js'
export { loadSettings, type Settings } from './load.js'
export {
  fromEnvironment,
  namesOf,
  type Resolved,
  resolveSettings,
  type Sourced,
  type Surface,
  shownUrl,
  strayKey,
  variables,
} from './resolve.js'
export {
  cacheFolderOf,
  changeUserFile,
  findProjectFile,
  nearestUpwards,
  type ProjectFile,
  profileIn,
  projectFileName,
  readProjectFile,
  requireUserFile,
  settingsOf,
  stateFolderOf,
  trustIn,
  userFileOf,
  withProfile,
} from './settings-file.js'
export { jsonObject, type Profile, type UserSettings } from './shapes.js'
