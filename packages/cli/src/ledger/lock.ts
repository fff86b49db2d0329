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

/** A claim on the ledger of a target, in a file of its own that no other process ever writes. */
interface Claim extends Owner {
  file: string
  id: string
  /** Its ledger's file, without the ending. */
  ledger: string
  of: number | undefined
  /** Whether it holds the ledger, or is still looking whether it may. */
  isHeld: boolean
  /** Whether its process can be seen to run; if not, it may. */
  isSeen: boolean
  /** When it was made, in ISO 8601. */
  at: string
}

/** What a claim's file says. */
type ClaimContent = Omit<Claim, 'file' | 'isHeld' | 'isSeen'>

/** How often a claim that is neither held nor given up is looked at again: far longer than either takes. */
const maxPolls = 2_000

/**
 * Takes the ledger of a target (by `stemOf`) and shard for this process; gives back what lets go of it. Throws where a process that
 * runs has it, or shares the same target out in another way. What a killed process left is cleared away.
 *
 * Each process makes a claim under a name of its own, and looks then: with no other claim to be seen, the ledger is its
 * own, and it says so in a second file. Of two that look at once, each sees the other, and the one with the smaller id
 * goes on. Since a name is never used twice, clearing a dead claim away can never hit a living one.
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
    for (let looks = 0; ; looks++) {
      const others = claimsOn(folder, stem).filter((claim) => claim.id !== id && conflicts(claim, own))
      const [first] = others.filter(({ isHeld, id: other }) => isHeld || other < id || looks > maxPolls)
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

/** Shards of one and the same count never meet; everything else may. */
const conflicts = (other: Pick<Claim, 'ledger' | 'of'>, own: Pick<Claim, 'ledger' | 'of'>): boolean =>
  other.ledger === own.ledger || other.of === undefined || other.of !== own.of

/** The claims of processes that run, or may run; those of processes that have ended are cleared away. */
function claimsOn(folder: string, stem: string): Claim[] {
  const here = thisProcess()
  const names = namesIn(folder).filter((name) => name.startsWith(`${stem}.`) && name.endsWith('.lock'))
  return names.flatMap((name) => {
    const file = join(folder, name)
    const held = file.replace(/lock$/, 'held')
    const claim = claimIn(file)
    if (!claim) return []
    const sight = ownerStatus(claim, here)
    if (sight !== 'ended') return [{ ...claim, file, isHeld: existsSync(held), isSeen: sight === 'runs' }]
    rmSync(held, { force: true })
    rmSync(file, { force: true })
    return []
  })
}

/** It was written whole before it got its name; where it is gone, its process has let go of it meanwhile. */
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
        hint: 'run it again when that has ended',
      })
    : new CliError(exit.input, `Another process writes this ledger, or was killed: ${who}.`, {
        details,
        hint: `it cannot be seen from here, and waiting alone does not help: where it has ended, remove ${file}`,
      })
}

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
export type OwnerStatus =
  | 'runs'
  /** Certainly: its machine was started anew since, or there is no such process, or another one has its number. */
  | 'ended'
  /** It is on another machine, or in a container of its own: whether it runs cannot be seen from here. */
  | 'hidden'

/** Containers that share a volume may have one host name, and their processes the same numbers. */
export function ownerStatus(owner: Owner, here: Owner = thisProcess()): OwnerStatus {
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
