import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { doctor } from './run.js'

export function doctorCommand(command: Command, act: Act): void {
  command.option('--offline', 'send nothing').addHelpText(
    'after',
    `
Nothing is written to the service, and no key is shown. Exit code: 0, or that of the first problem.
${examples('svc doctor', 'svc doctor --json')}`,
  )
  does(command, act, doctor)
}
