import { type Command, Option } from 'commander'
import { type Act, does, examples } from '../act.js'

export function authCommand(program: Command, act: Act): void {
  const auth = program.command('auth').description('The API keys that svc uses')

  const login = auth
    .command('login')
    .description('Store a key, asked for on the terminal or read from standard input')
    .addOption(surface('surface that the key is for').default('both'))
    .option('--with-key', 'read the key from standard input, also where that is a terminal')
    .option('--force', 'store a key that does not look like one')
    .option('--no-verify', 'store it without asking the service whether it is good')
    .addHelpText(
      'after',
      examples('svc auth login < key.txt', 'svc auth login --profile work --surface workspace < key.txt'),
    )
  does(login, act, async () => (await import('./login.js')).login)

  const status = auth
    .command('status')
    .description('Show where each key comes from, and whether the service takes it')
    .option('--offline', 'send nothing')
    .addHelpText('after', examples('svc auth status', 'svc auth status --offline --json'))
  does(status, act, async () => (await import('./status.js')).status)

  const logout = auth
    .command('logout')
    .description('Take the keys of a profile out of the settings')
    .addOption(surface('surface whose key is taken out').default('both'))
    .addHelpText('after', examples('svc auth logout', 'svc auth logout --profile work'))
  does(logout, act, async () => (await import('./logout.js')).logout)
}

const surface = (description: string) =>
  new Option('--surface <which>', description).choices(['annotation', 'workspace', 'both'])
