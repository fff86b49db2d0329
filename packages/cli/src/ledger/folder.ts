import { isAbsolute, join } from 'node:path'

/**
 * The folder of the ledgers: the flag's, else `uploads` in `SVC_STATE_DIR`, else in `svc` of `XDG_STATE_HOME`, else of
 * the home's state; undefined where there is no home at all. A relative path in an XDG variable counts as none, as XDG
 * has it.
 */
export function ledgerFolder(env: Record<string, string | undefined>, flag: string | undefined): string | undefined {
  if (flag !== undefined) return flag
  if (env.SVC_STATE_DIR) return join(env.SVC_STATE_DIR, 'uploads')
  const { XDG_STATE_HOME: xdg, HOME: home = env.USERPROFILE } = env
  if (xdg && isAbsolute(xdg)) return join(xdg, 'svc', 'uploads')
  return home ? join(home, '.local', 'state', 'svc', 'uploads') : undefined
}
