import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { getSetting, listSettings, setSetting, showPath } from './run.js'
import { trust } from './trust.js'

export function configCommand(config: Command, act: Act): void {
  const list = config
    .command('list')
    .description('List the settings in force; keys are shown by prefix and last four')
    .option('--show-origin', 'say where each comes from')
    .addHelpText('after', examples('svc config list', 'svc config list --show-origin --json'))
  does(list, act, listSettings)

  const get = config
    .command('get <name>')
    .description('Print one setting in force')
    .addHelpText('after', examples('svc config get baseUrl', 'svc config get project'))
  does(get, act, getSetting)

  const set = config
    .command('set <name> <value>')
    .description('Store a setting in a profile of your own; an empty value takes it out')
    .addHelpText(
      'after',
      examples('svc config set baseUrl https://annotate.example.com', 'svc config set baseUrl "" --profile work'),
    )
  does(set, act, setSetting)

  const path = config
    .command('path')
    .description('Print where your own settings are kept')
    .addHelpText('after', examples('svc config path'))
  does(path, act, showPath)

  const trustCommand = config
    .command('trust [file]')
    .description('Let a project file or a policy count that says where to send or what to read, as it stands now')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('svc config trust --yes', 'svc config trust svc.config.json --yes'))
  does(trustCommand, act, trust)
}
