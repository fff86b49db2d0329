import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError, exit } from '../../exit.js'
import { type Act, does, examples } from '../act.js'
import { api } from './run.js'

export function apiCommand(command: Command, act: Act): void {
  command
    .option(
      '-f, --raw-field <k=v>',
      'a field that is text, repeatable; in the query of a GET, else in a JSON body',
      pair,
    )
    .option('-F, --field <k=v>', 'a field whose value is read as JSON where it is JSON, repeatable', pair)
    .addOption(new Option('--input <file>', 'file with the body, - for standard input; fields then go into the query'))
    .option('-H, --header <name:value>', 'a header of your own, repeatable', header)
    .option('-i, --include', 'print the status and the headers, too')
    .addOption(
      new Option('--paginate', 'fetch every page of a list, and print all items as one array').conflicts('include'),
    )
    .addOption(
      new Option('--surface <which>', 'where to send it (default: by the path)').choices(['annotation', 'workspace']),
    )
    .addHelpText(
      'after',
      `
/v1/…, /health, /openapi… and /docs are the annotation surface's, every other path is the workspace's.
${examples(
  'svc api GET /health',
  'svc api GET /projects -F limit=5',
  'svc api GET "/projects/$SVC_PROJECT/transcripts" --paginate',
  'svc api POST /projects -f name=Support',
  'svc api POST /v1/annotations --input request.json',
)}`,
    )
  does(command, act, api)
}

/** `key=value`, gathered over repetitions in their order. */
function pair(
  text: string,
  gathered: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return [...gathered, [text.slice(0, at), text.slice(at + 1)]]
}

/** A header may be a secret, and an error of the parser would repeat it. */
function header(text: string, gathered: Record<string, string> = {}): Record<string, string> {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(text) ?? []
  if (name === '') throw new CliError(exit.usage, '--header expects name:value.')
  if (/^(authorization|proxy-authorization|cookie)$/i.test(name)) {
    throw new CliError(exit.usage, `--header cannot set ${name}: others can see a secret on a command line.`, {
      hint: 'The key comes from the settings: `svc auth login`, or SVC_API_KEY',
    })
  }
  if (/^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$/i.test(name)) {
    throw new CliError(exit.usage, `--header cannot set ${name}: ${name} is set by what sends the request.`)
  }
  return { ...gathered, [name.toLowerCase()]: value.trim() }
}
