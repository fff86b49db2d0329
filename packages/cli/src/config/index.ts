export { configuredKeys, formsOf } from './configured-keys.js'
export { type Connection, connect, type Expected } from './connect.js'
export { cacheFolderOf, nearestUpwards, stateFolderOf, userFileOf } from './folders.js'
export { formOf, type KeyForm, masked } from './key-form.js'
export { loadSettings, type Settings } from './load.js'
export { findProjectFile, type ProjectFile, projectFileName, readProjectFile, trustIn } from './project-file.js'
export { checked, startOf, textOf } from './read-file.js'
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
export { jsonObject, type Profile, type UserSettings } from './shapes.js'
export { changeUserFile, profileIn, requireUserFile, settingsOf, withProfile } from './user-file.js'
