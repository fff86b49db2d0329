import { type Command, Option } from 'commander'
import { type Act, does, examples } from '../act.js'
import { login } from './login.js'
import { logout } from './logout.js'
import { status } from './status.js'

export function authCommand(auth: Command, act: Act): void {
  const loginCommand = auth
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
  does(loginCommand, act, login)

  const statusCommand = auth
    .command('status')
    .description('Show where each key comes from, and whether the service takes it')
    .option('--offline', 'send nothing')
    .addHelpText('after', examples('svc auth status', 'svc auth status --offline --json'))
  does(statusCommand, act, status)

  const logoutCommand = auth
    .command('logout')
    .description('Take the keys of a profile out of the settings')
    .addOption(surface('surface whose key is taken out').default('both'))
    .addHelpText('after', examples('svc auth logout', 'svc auth logout --profile work'))
  does(logoutCommand, act, logout)
}

const surface = (description: string) =>
  new Option('--surface <which>', description).choices(['annotation', 'workspace', 'both'])
