import type { Command, Work } from '../act.js'
import { bash } from './bash.js'
import { fish } from './fish.js'
import { pwsh } from './pwsh.js'
import { type Tree, treeOf } from './tree.js'
import { zsh } from './zsh.js'

type Shell = 'bash' | 'zsh' | 'fish' | 'pwsh'

const scripts: Readonly<Record<Shell, (tree: Tree) => string>> = { bash, zsh, fish, pwsh }

/** Prints the script for a shell, drawn from the commands as they are. */
export const completionOf =
  ({ parent: program }: Command): Work<[Shell], object> =>
  async ({ io }, [shell]) => {
    if (program) io.stdout.write(scripts[shell](treeOf(program)))
    return undefined
  }
