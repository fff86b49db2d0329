import type { Command, SetAction } from '../action.js'
import { loginCommand } from './login.js'
import { logoutCommand } from './logout.js'
import { statusCommand } from './status.js'

export function authCommand(auth: Command, setAction: SetAction): void {
  loginCommand(auth, setAction)
  statusCommand(auth, setAction)
  logoutCommand(auth, setAction)
}
