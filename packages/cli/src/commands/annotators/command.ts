import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { listAnnotators } from './list.js'

export function annotatorsCommand(annotators: Command, act: Act): void {
  const list = annotators
    .command('list')
    .description('List the annotators with their versions; the key is sent where there is one')
    .addHelpText('after', examples('svc annotators list', 'svc annotators list --json'))
  does(list, act, listAnnotators)
}
