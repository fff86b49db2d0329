import { type Command, InvalidArgumentError } from 'commander'
import { type Act, does, examples } from '../act.js'
import { duration, keyValue } from '../arguments.js'
import { mock } from './run.js'

export function mockCommand(command: Command, act: Act): void {
  command
    .option('--port <n>', 'port to listen on (default: a free one)', port)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine alone)')
    .option('--allow-host <host>', 'answer requests with this Host too, beside this machine; repeatable', gather)
    .option('--allow-origin <origin>', 'answer pages of this origin too, as in https://app.example; repeatable', gather)
    .option('--data <dir>', 'keep the world in this folder, for the next start', named)
    .option('--seed <file>', 'JSON file of workspaces, keys, projects and transcripts to start with')
    .option('--limit <n/time>', 'so many requests of a key in a window, as in 200/10s', quota)
    .option('--saturation <n/time>', 'so many annotations of all keys in a window', quota)
    .option('--fault <rule>', 'what goes wrong, as in "transcripts.upload: lost; times=1"; repeatable', gather)
    .option('--submit-error', 'no annotation job can be submitted: uploads get processing_status error')
    .option('--fault-header', 'let a request ask for a fault with the header svc-fault')
    .option('--reading <k=v>', 'where the interface leaves a choice, as in lenientPaging=true; repeatable', keyValue)
    .option('--control', 'let tests steer the server over HTTP, under /_svc/, with a token')
    .addHelpText(
      'after',
      `
The command gets SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and SVC_PROJECT, folders of its own for state,
cache and configuration, this svc first on its PATH, and NO_PROXY with this machine added; with --control also
SVC_CONTROL_URL and SVC_CONTROL_TOKEN. Its exit code is passed on. /docs of the base URL describes both surfaces.
${examples(
  'svc mock -- ./ci.sh',
  `svc mock -- sh -c 'svc upload talks/ --json'`,
  'svc mock --port 4010 --data ./world',
  `svc mock --limit 200/10s --fault 'annotations.create: status; code=503; times=2' -- ./ci.sh`,
)}`,
    )
  does(command, act, mock)
}

/** An empty folder name, as of a variable that is not set, would be the current folder. */
function named(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected the name of a folder.')
}

function port(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

function quota(text: string): { requests: number; windowMs: number } {
  const [count = '', time = '', ...more] = text.split('/')
  const requests = Number(count)
  if (/^\d+$/.test(count) && Number.isSafeInteger(requests) && time !== '' && more.length === 0) {
    const windowMs = duration(time)
    if (windowMs > 0) return { requests, windowMs }
  }
  throw new InvalidArgumentError('Expected a number and a time, such as 200/10s.')
}

const gather = (text: string, gathered: string[] = []): string[] => [...gathered, text]
