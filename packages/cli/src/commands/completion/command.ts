import type { Command } from 'commander'
import { type Act, does, examples } from '../act.js'
import { completionOf } from './run.js'

export function completionCommand(command: Command, act: Act): void {
  command.registeredArguments[0]?.choices(['bash', 'zsh', 'fish', 'pwsh'])
  command.addHelpText(
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
  does(command, act, completionOf(command))
}
