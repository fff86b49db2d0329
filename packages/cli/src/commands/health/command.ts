import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'

export function healthCommand(program: Command, act: Act): void {
  const health = program
    .command('health')
    .description('Ask whether the annotation surface is up; needs no key')
    .addHelpText('after', examples('svc health', 'svc health --json'))
  does(health, act, async () => (await import('./run.js')).health)
}
