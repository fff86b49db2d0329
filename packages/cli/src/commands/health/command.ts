import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { health } from './run.js'

export function healthCommand(command: Command, act: Act): void {
  command.addHelpText('after', examples('svc health', 'svc health --json'))
  does(command, act, health)
}
