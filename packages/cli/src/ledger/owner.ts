import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'

/** A process, as another one can tell whether it still runs. */
export interface Owner {
  pid: number
  host: string
  /** The PID namespace, in which its number means something; undefined where the system has none. */
  namespace?: string | undefined
  /** This start of the machine; undefined where it has no name. */
  boot?: string | undefined
  /** When the process was started, in the machine's own count; undefined where that is not shown. */
  started?: string | undefined
}

export const thisProcess = (): Owner => ({
  pid,
  host: hostname(),
  namespace: orNone(() => readlinkSync('/proc/self/ns/pid')),
  boot: read('/proc/sys/kernel/random/boot_id'),
  started: startOf(pid)?.started,
})

/** What can be told of a process from here. */
export type Sight =
  | 'runs'
  /** Certainly: its machine was started anew since, or there is no such process, or another one has its number. */
  | 'ended'
  /** It is on another machine, or in a container of its own: whether it runs cannot be seen from here. */
  | 'hidden'

/** Containers that share a volume may have one host name, and their processes the same numbers. */
export function sightOf(owner: Owner, here: Owner = thisProcess()): Sight {
  if (owner.host !== here.host || owner.namespace !== here.namespace) return 'hidden'
  if (owner.boot !== here.boot) return owner.boot !== undefined && here.boot !== undefined ? 'ended' : 'hidden'
  try {
    kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it runs, and is another user's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'ended'
  }
  const now = startOf(owner.pid)
  if (!now) return 'runs'
  return now.isDead || (owner.started !== undefined && owner.started !== now.started) ? 'ended' : 'runs'
}

/** From `/proc`, where there is one: fields 3 and 22, behind a name that may hold anything. */
function startOf(of: number): { started: string | undefined; isDead: boolean } | undefined {
  const stat = read(`/proc/${of}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19], isDead: fields[0] === 'Z' || fields[0] === 'X' }
}

const read = (path: string): string | undefined => orNone(() => readFileSync(path, 'utf8').trim())

function orNone(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
