import type { Command, SetAction } from '../action.js'
import { forgetCommand } from './forget.js'
import { listCommand } from './list.js'
import { rebuildCommand } from './rebuild.js'
import { reconcileCommand } from './reconcile.js'
import { retryCommand } from './retry.js'
import { showCommand } from './show.js'

export function uploadsCommand(uploads: Command, setAction: SetAction): void {
  listCommand(uploads, setAction)
  showCommand(uploads, setAction)
  reconcileCommand(uploads, setAction)
  retryCommand(uploads, setAction)
  forgetCommand(uploads, setAction)
  rebuildCommand(uploads, setAction)
}
