import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'

export function annotatorsCommand(program: Command, act: Act): void {
  const annotators = program.command('annotators').description('The public registry of annotators')
  const list = annotators
    .command('list')
    .description('List the annotators with their versions; the key is sent where there is one')
    .addHelpText('after', examples('svc annotators list', 'svc annotators list --json'))
  does(list, act, async () => (await import('./list.js')).listAnnotators)
}
