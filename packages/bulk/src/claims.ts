import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { kill, pid } from 'node:process'

/** A claim on the files of a folder whose names begin alike, in a file that no other process ever writes. */
export interface Claim extends Owner {
  file: string
  id: string
  /** The name of the claimed file, without its ending. */
  ledger: string
  /** The number of shards that share the claimed files; undefined if one process claims them all. */
  of?: number | undefined
  /** True if it holds the files, or still checks for other claims. */
  isHeld: boolean
  /** True if its process is known to run. */
  isSeen: boolean
  /** ISO 8601. */
  at: string
}

/** The content of a claim's file. */
type ClaimContent = Omit<Claim, 'file' | 'isHeld' | 'isSeen'>

/** A claim that is neither held nor released after so many polls counts as held. */
const maxPolls = 2_000

/**
 * Claim files for this process; returns the function that releases them, or the claim of another process. Claims of killed
 * processes are removed.
 *
 * Each process writes a claim under a unique name and then reads the other claims. Without any, it writes a second file
 * and holds the claimed ones. If two processes read at once, each sees the other, and the smaller id wins. Names are never
 * used twice, so removing a dead claim cannot remove a live one.
 */
export async function claim(
  folder: string,
  stem: string,
  wanted: Pick<Claim, 'ledger' | 'of' | 'at'>,
): Promise<(() => void) | Claim> {
  const id = crypto.randomUUID()
  const file = (ending: string) => join(folder, `${wanted.ledger}.${id}.${ending}`)
  const own = { ...thisProcess(), id, ...wanted }
  const release = () => {
    for (const ending of ['draft', 'held', 'lock']) rmSync(file(ending), { force: true })
  }
  try {
    writeFileSync(file('draft'), `${JSON.stringify(own)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(file('draft'), file('lock'))
    for (let polls = 0; ; polls++) {
      const others = claimsOn(folder, stem).filter((each) => each.id !== id && conflicts(each, own))
      const [first] = others.filter(({ isHeld, id: other }) => isHeld || other < id || polls > maxPolls)
      if (first) {
        release()
        return first
      }
      if (others.length === 0) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    writeFileSync(file('held'), '', { mode: 0o600, flag: 'wx' })
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Different shards of the same count do not conflict. */
const conflicts = (other: Pick<Claim, 'ledger' | 'of'>, own: Pick<Claim, 'ledger' | 'of'>): boolean =>
  other.ledger === own.ledger || other.of === undefined || other.of !== own.of

/** The claims of processes that run or may run. Those of ended processes are removed. */
function claimsOn(folder: string, stem: string): Claim[] {
  const here = thisProcess()
  const names = readdirSync(folder).filter((name) => name.startsWith(`${stem}.`) && /\.(lock|draft)$/.test(name))
  return names.flatMap((name) => {
    const file = join(folder, name)
    const held = file.replace(/lock$/, 'held')
    const content = contentOf(file)
    if (!content) return []
    const status = ownerStatus(content, here)
    if (status === 'ended') {
      rmSync(held, { force: true })
      rmSync(file, { force: true })
    }
    // Whoever writes a draft reads the other claims after it is renamed.
    if (status === 'ended' || name.endsWith('.draft')) return []
    return [{ ...content, file, isHeld: existsSync(held), isSeen: status === 'runs' }]
  })
}

/**
 * Undefined if its process has released it meanwhile, or still writes it. A claim is never half written, because it is
 * renamed into place.
 */
function contentOf(file: string): ClaimContent | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof content === 'object' && content !== null ? (content as ClaimContent) : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw Object.assign(error as Error, { path: file })
  }
}

/** Identifies a process, so that another one can find out whether it still runs. */
export interface Owner {
  pid: number
  host: string
  /** The PID namespace; undefined if the system has none. */
  namespace?: string | undefined
  /** The boot id of the machine; undefined if the system has none. */
  boot?: string | undefined
  /** When the process was started, in clock ticks since boot; undefined if the system does not show it. */
  started?: string | undefined
}

export const thisProcess = (): Owner => ({
  pid,
  host: hostname(),
  namespace: orNone(() => readlinkSync('/proc/self/ns/pid')),
  boot: read('/proc/sys/kernel/random/boot_id'),
  started: startOf(pid)?.started,
})

export type OwnerStatus =
  | 'runs'
  /** Its machine was restarted since, there is no such process, or another one has its pid. */
  | 'ended'
  /** It is on another machine or in another container. */
  | 'hidden'

/** Containers that share a volume may have one host name, and their processes the same numbers. */
export function ownerStatus(owner: Owner, here: Owner = thisProcess()): OwnerStatus {
  if (owner.host !== here.host || owner.namespace !== here.namespace) return 'hidden'
  if (owner.boot !== here.boot) return owner.boot !== undefined && here.boot !== undefined ? 'ended' : 'hidden'
  if (!isThere(owner.pid)) return 'ended'
  const now = startOf(owner.pid)
  if (!now) return 'runs'
  return now.isDead || (owner.started !== undefined && owner.started !== now.started) ? 'ended' : 'runs'
}

function isThere(of: number): boolean {
  try {
    kill(of, 0)
    return true
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A word for a file name that tells which process writes the file. */
export const ownerMark = (): string => `${hereMark()}-${pid}`

/** True if the process of a mark has certainly ended. */
export function hasEnded(mark: string): boolean {
  const [here, of] = mark.split('-')
  return here === hereMark() && Number(of) > 0 && !isThere(Number(of))
}

/** The processes of other machines, containers and boots have other marks. */
function hereMark(): string {
  const { host, namespace = '', boot } = thisProcess()
  return `${(boot ?? host).replace(/\W/g, '').slice(0, 16)}${namespace.replace(/\D/g, '')}`
}

/** Fields 3 and 22 of `/proc/PID/stat`, after the name in parentheses, which may hold any character. */
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
