import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'

/** A process, as another one can tell whether it still runs. */
export interface Owner {
  pid: number
  host: string
  /** This start of the machine; undefined where it has no name. */
  boot?: string | undefined
  /** When the process was started, in the machine's own count; undefined where that is not shown. */
  started?: string | undefined
}

export const thisProcess = (): Owner => ({
  pid,
  host: hostname(),
  boot: read('/proc/sys/kernel/random/boot_id'),
  started: startOf(pid)?.started,
})

/**
 * Whether a process has certainly ended: its machine was started anew since, or there is no such process, or another one
 * has its number. What runs on another machine cannot be seen from here.
 */
export function hasEnded(owner: Owner, here: Owner = thisProcess()): boolean {
  if (owner.host !== here.host) return false
  if (owner.boot !== here.boot) return owner.boot !== undefined && here.boot !== undefined
  try {
    kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it runs, and is another user's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
  }
  const now = startOf(owner.pid)
  if (!now) return false
  return now.isDead || (owner.started !== undefined && owner.started !== now.started)
}

/** From `/proc`, where there is one: fields 3 and 22, behind a name that may hold anything. */
function startOf(of: number): { started: string | undefined; isDead: boolean } | undefined {
  const stat = read(`/proc/${of}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19], isDead: fields[0] === 'Z' || fields[0] === 'X' }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
