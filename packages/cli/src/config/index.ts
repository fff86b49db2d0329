export { type Connection, checkBaseUrl, connect, type Expected } from './connect.js'
export { cacheFolderOf, nearestOf, nearestUpwards, stateFolderOf, userFileOf } from './folders.js'
export { configuredKeys, formOf, formsOf, type KeyForm, masked } from './keys.js'
export { loadSettings, type Settings } from './load.js'
export { findProjectFile, type ProjectFile, projectFileName, readProjectFile, trustIn } from './project-file.js'
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
export { checked, checkedValue, startOf, textOf } from './settings-file.js'
export { jsonObject, type Profile, type UserSettings } from './shapes.js'
export { changeUserFile, profileIn, requireUserFile, settingsOf, withProfile } from './user-file.js'
