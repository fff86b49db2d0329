import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { kill, pid } from 'node:process'
import { CliError, exit } from '../exit.js'
import type { Shard } from '../shard.js'
import { parseObject } from './events.js'
import { cannotOpen } from './failure.js'
import { nameOf, namesIn } from './files.js'

/** A claim on the ledger of a target, in a file that no other process ever writes. */
interface Claim extends Owner {
  file: string
  id: string
  /** The name of the ledger file, without `.jsonl`. */
  ledger: string
  of: number | undefined
  /** True if it holds the ledger, or still checks for other claims. */
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
 * Lock the ledger of a target (by `stemOf`) and shard for this process; returns the function that releases it. Claims of
 * killed processes are removed.
 *
 * Each process writes a claim under a unique name and then reads the other claims. Without any, it writes a second file
 * and holds the ledger. If two processes read at once, each sees the other, and the smaller id wins. Names are never used
 * twice, so removing a dead claim cannot remove a live one.
 *
 * @throws {CliError} if another process holds the ledger, or splits the same target into another number of shards
 */
export async function lock(folder: string, stem: string, shard: Shard | undefined, at: string): Promise<() => void> {
  const ledger = nameOf(stem, shard)
  const id = randomUUID()
  const file = (ending: string) => join(folder, `${ledger}.${id}.${ending}`)
  const own = { ...thisProcess(), id, ledger, of: shard?.of, at }
  const release = () => {
    for (const ending of ['draft', 'held', 'lock']) rmSync(file(ending), { force: true })
  }
  try {
    writeFileSync(file('draft'), `${JSON.stringify(own)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(file('draft'), file('lock'))
    for (let polls = 0; ; polls++) {
      const others = claimsOn(folder, stem).filter((claim) => claim.id !== id && conflicts(claim, own))
      const [first] = others.filter(({ isHeld, id: other }) => isHeld || other < id || polls > maxPolls)
      if (first) throw lockedBy(first, folder)
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
  const names = namesIn(folder).filter((name) => name.startsWith(`${stem}.`) && name.endsWith('.lock'))
  return names.flatMap((name) => {
    const file = join(folder, name)
    const held = file.replace(/lock$/, 'held')
    const claim = claimIn(file)
    if (!claim) return []
    const status = ownerStatus(claim, here)
    if (status !== 'ended') return [{ ...claim, file, isHeld: existsSync(held), isSeen: status === 'runs' }]
    rmSync(held, { force: true })
    rmSync(file, { force: true })
    return []
  })
}

/** Undefined if its process has released it meanwhile. A claim is never half written, because it is renamed into place. */
function claimIn(file: string): ClaimContent | undefined {
  try {
    return parseObject(readFileSync(file, 'utf8')) as ClaimContent | undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cannotOpen(file, error)
  }
}

function lockedBy({ pid, host, at, file, ledger, isSeen }: Claim, folder: string): CliError {
  const details = [join(folder, `${ledger}.jsonl`)]
  const who = `pid ${pid} on ${host}, since ${at}`
  return isSeen
    ? new CliError(exit.temporary, `Another process writes this ledger: ${who}.`, {
        details,
        hint: 'run the command again when that process has ended',
      })
    : new CliError(exit.input, `Another process writes this ledger, or was killed while it did: ${who}.`, {
        details,
        hint: `svc cannot see that process from here: make sure that it has ended, then remove ${file}`,
      })
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
  try {
    kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it runs as another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'ended'
  }
  const now = startOf(owner.pid)
  if (!now) return 'runs'
  return now.isDead || (owner.started !== undefined && owner.started !== now.started) ? 'ended' : 'runs'
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
