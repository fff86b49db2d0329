import { allVariables, settingNames, settings } from '../../settings.js'
import { helpList } from '../action.js'
import { exitCodes } from './exit-codes.js'

/** Pages of `svc help TOPIC`, which work offline. */
export const topics: Readonly<Record<string, () => string | Promise<string>>> = {
  'exit-codes': () => helpList(exitCodes.map(({ code, meaning, next }) => [String(code), `${meaning} ${next}`])),
  settings: () => `Each setting is looked up on its own. The first source that has it wins:

  1. a flag, and the profile or file that --profile or --config selects
  2. an environment variable (see svc help environment)
  3. svc.config.json in this folder or a parent, once you trust it
     (svc config trust); it can set the base URLs and the project
  4. the default profile of your settings file (svc config path)

  setting               variable                name in a profile
${settingNames
  .map((name) => `  ${settings[name].title.padEnd(22)}${settings[name].variable.padEnd(24)}${name}`)
  .join('\n')}

svc config list --show-origin prints each setting with its source. svc auth
login stores a key, and svc config set NAME VALUE stores any other setting.`,
  environment: () => helpList(allVariables),
  async formats() {
    const { formats } = await import('@svc/transcripts')
    return `svc finds the format by the content of a file, never by its name. --format ID
sets it; svc convert --detect FILE prints it.

${helpList(formats.map(({ id, title }) => [id, title]))}`
  },
  async checks() {
    const { policyKeys } = await import('@svc/checks')
    const keys = Object.entries(policyKeys).filter(([name]) => name !== '$schema')
    return `svc check judges each transcript by flags or svc.checks.json in this folder or
above it in the repository; a flag overrides the same key of the file. Its keys:

${helpList(keys.map(([name, { meaning }]) => [name, meaning.replaceAll('`', '')]))}

svc.checks.ts exports the same keys, and functions as rules. svc runs it if
--policy names it, or if svc config trust has trusted it.

Example:
  { "annotator": "structural", "paths": ["transcripts"], "failOn": "poor" }`
  },
}
