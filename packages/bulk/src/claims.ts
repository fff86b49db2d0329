/**
 * A lock on files of a folder among processes, as the ledger uses it.
 */

import { join } from 'node:path'
import { type BulkEnvironment, type Disk, type Host, nodeEnvironment, type Owner } from './environment/index.js'

/** A claim on the files of a folder whose names begin alike, in a file that no other process ever writes. */
export interface Claim extends Owner {
  /** The path of its file. */
  file: string
  /** A UUID of its own. */
  id: string
  /** The name of the claimed file, without its ending. */
  ledger: string
  /** The number of shards that share the claimed files; undefined if one process claims them all. */
  of?: number | undefined
  /** True if it holds the files, or still checks for other claims. */
  isHeld: boolean
  /** True if its process is known to run. */
  isSeen: boolean
  /** Its owner renews it more often than this, in milliseconds; undefined if it does not. */
  leaseMs?: number | undefined
  /** When it was made, in ISO 8601. */
  at: string
}

/** A claim that this process holds. */
export interface HeldClaim {
  /** Remove it. */
  release(): void
  /** Show others that its process is alive. Throws an error of the disk, ENOENT if another process has taken it over. */
  renew(): void
  /** False once another process has taken it over. Throws an error of the disk. */
  isOwner(): boolean
}

/** The content of a claim's file. */
type ClaimContent = Omit<Claim, 'file' | 'isHeld' | 'isSeen'>

/** A claim that is neither held nor released after so many polls counts as held. */
const maxPolls = 2_000

/**
 * Claim files for this process; resolves to the held claim, or to the claim of another process. Claims of killed processes
 * are removed, and those that `isExpired` are ignored.
 *
 * Each process writes a claim under a unique name and then reads the other claims. Without any, it writes a second file
 * and holds the claimed ones. If two processes read at once, each sees the other, and the smaller id wins. Names are never
 * used twice, so removing a dead claim cannot remove a live one.
 */
export async function claim(
  folder: string,
  stem: string,
  wanted: WantedClaim,
  environment: Omit<BulkEnvironment, 'clock'> = nodeEnvironment,
  isExpired: (other: Claim) => boolean = () => false,
): Promise<HeldClaim | Claim> {
  const { disk, host, randomId, turn } = environment
  const id = randomId()
  const file = (ending: string) => join(folder, `${wanted.ledger}.${id}.${ending}`)
  const own = { ...host.self(), id, ...wanted }
  const release = () => {
    for (const ending of ['draft', 'held', 'lock']) disk.remove(file(ending))
  }
  const isOwner = () => contentOf(disk, file('lock')) !== undefined
  try {
    disk.create(file('draft'), `${JSON.stringify(own)}\n`)
    disk.rename(file('draft'), file('lock'))
    for (let polls = 0; ; polls++) {
      const others = rivalClaims(folder, stem, own, environment).filter((each) => each.id !== id && !isExpired(each))
      const [first] = others.filter(({ isHeld, id: other }) => isHeld || other < id || polls > maxPolls)
      if (first) {
        release()
        return first
      }
      if (others.length === 0) break
      await turn()
    }
    disk.create(file('held'), '')
    // Another process took this one for dead, if it stood still for long before this line.
    if (!isOwner()) {
      release()
      return claim(folder, stem, wanted, environment, isExpired)
    }
    let renewals = 0
    return { release, isOwner, renew: () => disk.overwrite(file('held'), String(++renewals)) }
  } catch (error) {
    release()
    throw error
  }
}

/** The ledger that a process claims, and for how long. */
export type WantedClaim = Pick<Claim, 'ledger' | 'of' | 'at' | 'leaseMs'>

/** The claims of processes that run or may run, which leave no room for a wanted one. */
export const rivalClaims = (
  folder: string,
  stem: string,
  wanted: Pick<Claim, 'ledger' | 'of'>,
  environment: Pick<BulkEnvironment, 'disk' | 'host'>,
): Claim[] => claimsOn(folder, stem, environment).filter((each) => conflicts(each, wanted))

const heldFileOf = ({ file }: Pick<Claim, 'file'>): string => file.replace(/lock$/, 'held')

/** The text that the owner of a claim changes when it renews it; empty before the first time. */
export function renewalOf(disk: Pick<Disk, 'readText'>, claim: Pick<Claim, 'file'>): string {
  try {
    return disk.readText(heldFileOf(claim))
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

/** Remove a claim of another process, which then is its owner no more. */
export function removeClaim(disk: Pick<Disk, 'remove'>, claim: Pick<Claim, 'file'>): void {
  disk.remove(heldFileOf(claim))
  disk.remove(claim.file)
}

/** ESTALE: another machine has removed a file that this one had open. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ESTALE'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Different shards of the same count do not conflict. */
const conflicts = (other: Pick<Claim, 'ledger' | 'of'>, own: Pick<Claim, 'ledger' | 'of'>): boolean =>
  other.ledger === own.ledger || other.of === undefined || other.of !== own.of

/** The claims of processes that run or may run. Those of ended processes are removed. */
function claimsOn(folder: string, stem: string, { disk, host }: Pick<BulkEnvironment, 'disk' | 'host'>): Claim[] {
  const names = disk.list(folder).filter((name) => name.startsWith(`${stem}.`))
  const claims = names.filter((name) => /\.(lock|draft)$/.test(name))
  return claims.flatMap((name) => {
    const file = join(folder, name)
    const content = contentOf(disk, file)
    if (!content) return []
    const status = ownerStatus(content, host)
    if (status === 'ended') removeClaim(disk, { file })
    // Whoever writes a draft reads the other claims after it is renamed.
    if (status === 'ended' || name.endsWith('.draft')) return []
    return [{ ...content, file, isHeld: names.includes(name.replace(/lock$/, 'held')), isSeen: status === 'runs' }]
  })
}

/**
 * Undefined if its process has released it meanwhile, or still writes it. A claim is never half written, because it is
 * renamed into place.
 */
function contentOf(disk: Pick<Disk, 'readText'>, file: string): ClaimContent | undefined {
  try {
    const content: unknown = JSON.parse(disk.readText(file))
    return typeof content === 'object' && content !== null ? (content as ClaimContent) : undefined
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw Object.assign(error as Error, { path: file })
  }
}

/** The state of the process that made a claim. */
export type OwnerStatus =
  | 'runs'
  /** Its machine was restarted since, there is no such process, or another one has its pid. */
  | 'ended'
  /** It is on another machine or in another container. */
  | 'hidden'

/** Containers that share a volume may have one host name, and their processes the same numbers. */
export function ownerStatus(owner: Owner, host: Host): OwnerStatus {
  const here = host.self()
  if (owner.host !== here.host || owner.namespace !== here.namespace) return 'hidden'
  if (owner.boot !== here.boot) return isRestarted(owner, here) ? 'ended' : 'hidden'
  const now = host.process(owner.pid)
  if (!now || now.isDead) return 'ended'
  const isOther = owner.started !== undefined && now.started !== undefined && owner.started !== now.started
  return isOther ? 'ended' : 'runs'
}

/** True if this process made a claim. */
export const isSelf = (owner: Owner, host: Host): boolean =>
  owner.pid === host.self().pid && owner.started === host.self().started && ownerStatus(owner, host) === 'runs'

/** Two machines may have one name. */
const isRestarted = (owner: Owner, here: Owner): boolean =>
  owner.machine !== undefined && owner.machine === here.machine && owner.boot !== undefined && here.boot !== undefined

/** A word for a file name that tells which process writes the file. */
export const ownerMark = (host: Host): string => `${hereMark(host)}-${host.self().pid}`

/** True if the process of a mark has certainly ended. */
export function hasEnded(mark: string, host: Host): boolean {
  const [here, number] = mark.split('-')
  return here === hereMark(host) && Number(number) > 0 && !host.process(Number(number))
}

/** The processes of other machines, containers and boots have other marks. */
function hereMark(here: Host): string {
  const { host, namespace = '', boot } = here.self()
  return `${(boot ?? host).replace(/\W/g, '').slice(0, 16)}${namespace.replace(/\D/g, '')}`
}
