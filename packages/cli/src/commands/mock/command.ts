import { type Command, InvalidArgumentError } from 'commander'
import { type Act, does, examples } from '../act.js'

export function mockCommand(program: Command, act: Act): void {
  const mock = program
    .command('mock [command...]')
    .description('Serve both surfaces on this machine, for a command after -- or until stopped')
    .option('--port <n>', 'port to listen on (default: a free one)', port)
    .addHelpText(
      'after',
      `
The command gets SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and SVC_PROJECT for a fresh project, folders of
its own for state, cache and configuration, and this svc first on its PATH. Its exit code is passed on.
${examples('svc mock -- ./ci.sh', `svc mock -- sh -c 'svc upload talks/ --json'`, 'svc mock --port 4010')}`,
    )
  does(mock, act, async () => (await import('./run.js')).mock)
}

function port(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}
