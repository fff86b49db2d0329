import { Argument, type Command } from 'commander'
import { type Act, does, examples } from '../act.js'

export function completionCommand(program: Command, act: Act): void {
  const completion = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that you type in').choices(['bash', 'zsh', 'fish', 'pwsh']))
    .description('Print a script that completes svc as you press Tab, without starting it')
    .addHelpText(
      'after',
      `
The script knows this version’s commands and flags: print it again after an update.
${examples(
  'svc completion bash > ~/.local/share/bash-completion/completions/svc',
  'svc completion zsh > ~/.zfunc/_svc',
  'svc completion fish > ~/.config/fish/completions/svc.fish',
  'svc completion pwsh >> $PROFILE',
)}`,
    )
  does(completion, act, async () => (await import('./run.js')).completionOf(program))
}
