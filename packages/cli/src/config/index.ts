export { cacheFolderOf, stateFolderOf, userFileOf } from '../settings.js'
export { type Connection, checkBaseUrl, connect, type Expected } from './connect.js'
export { jsonOr, jsonOrText } from './json.js'
export { configuredKeys, formOf, formsOf, type KeyForm, masked } from './keys.js'
export {
  fromEnvironment,
  loadSettings,
  type Resolved,
  resolveSettings,
  type Settings,
  type Sourced,
  shownUrl,
  strayKey,
  unknownProfile,
} from './resolve.js'
export {
  changeUserFile,
  distrustOf,
  findProjectFile,
  nearestUpwards,
  type ProjectFile,
  profileIn,
  projectFileName,
  readProjectFile,
  requireUserFile,
  trustIn,
  withProfile,
} from './settings-file.js'
export type { Profile, UserSettings } from './shapes.js'
