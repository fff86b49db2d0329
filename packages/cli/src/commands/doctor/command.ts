import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'

export function doctorCommand(program: Command, act: Act): void {
  const doctor = program
    .command('doctor')
    .description('Look for what keeps svc from working: settings, network, certificates, clock, keys, folders')
    .option('--offline', 'send nothing')
    .addHelpText(
      'after',
      `
Nothing is written to the service, and no key is shown. Exit code: 0, or that of the first problem.
${examples('svc doctor', 'svc doctor --json')}`,
    )
  does(doctor, act, async () => (await import('./run.js')).doctor)
}
