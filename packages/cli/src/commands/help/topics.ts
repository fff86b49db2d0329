import { Help } from 'commander'
import { exitCodes } from './exit-codes.js'

/** Pages of `svc help TOPIC`, which work offline. */
export const topics: Readonly<Record<string, () => string | Promise<string>>> = {
  'exit-codes': () => list(exitCodes.map(({ code, meaning, next }) => [String(code), `${meaning} ${next}`])),
  settings: () => `Each setting is looked up on its own. The first source that has it wins:

  1. a flag, and the profile or file that --profile or --config selects
  2. an environment variable (see svc help environment)
  3. svc.config.json in this folder or a parent, once you trust it
     (svc config trust); it can set the base URLs and the project
  4. the default profile of your settings file (svc config path)

  setting               variable                name in a profile
  key, both surfaces    SVC_API_KEY             apiKey
  annotation key        SVC_ANNOTATION_API_KEY  annotationApiKey
  workspace key         SVC_WORKSPACE_API_KEY   workspaceApiKey
  annotation base URL   SVC_BASE_URL            baseUrl
  workspace base URL    SVC_PUBLIC_BASE_URL     publicBaseUrl
  project               SVC_PROJECT             project

svc config list --show-origin prints each setting with its source. svc auth
login stores a key, and svc config set NAME VALUE stores any other setting.`,
  environment: () => `  SVC_API_KEY             key for both surfaces
  SVC_ANNOTATION_API_KEY  key for the annotation surface only
  SVC_WORKSPACE_API_KEY   key for the workspace surface only
  SVC_BASE_URL            base URL of the annotation surface
  SVC_PUBLIC_BASE_URL     base URL of the workspace surface, with its version
                          prefix
  SVC_PROJECT             default of --project
  SVC_CONFIG              settings file (default: ~/.config/svc/config.json)
  SVC_STATE_DIR           folder of upload ledgers (default: ~/.local/state/svc)
  SVC_CACHE_DIR           folder of cached annotations (default: ~/.cache/svc)
  SVC_FORCE_TTY           width of a terminal; format piped output as for that
                          terminal
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME
                          parent folders of the three defaults above
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                          proxy for requests; hosts that are reached directly
  NODE_EXTRA_CA_CERTS     file with certificates of further authorities
  NO_COLOR, FORCE_COLOR, TERM
                          color of the output
  CI                      if set, svc never prompts and draws no spinner; empty,
                          false and 0 count as not set`,
  async formats() {
    const { formats } = await import('@svc/transcripts')
    return `svc finds the format by the content of a file, never by its name. --format ID
sets it; svc convert --detect FILE prints it.

${list(formats.map(({ id, title }) => [id, title]))}`
  },
  async checks() {
    const { policyKeys } = await import('@svc/checks')
    const keys = Object.entries(policyKeys).filter(([name]) => name !== '$schema')
    return `svc check judges each transcript by flags or svc.checks.json in this folder or
a parent; a flag overrides the same key of the file. Its keys:

${list(keys.map(([name, { meaning }]) => [name, meaning.replaceAll('`', '')]))}

svc.checks.ts exports the same keys, and functions as rules. svc runs it if
--policy names it, or if svc config trust has trusted it.

Example:
  { "annotator": "structural", "paths": ["transcripts"], "failOn": "poor" }`
  },
}

/** Terms and their descriptions in two columns, wrapped at 80. */
function list(items: readonly (readonly [term: string, description: string])[]): string {
  const help = new Help()
  help.prepareContext({ helpWidth: 80 })
  const width = Math.max(...items.map(([term]) => term.length))
  return items.map(([term, description]) => help.formatItem(term, width, description, help)).join('\n')
}
