/**
 * A lock on files of a folder among processes, as the ledger uses it.
 */

import { join } from 'node:path'
import {
  type BulkEnvironment,
  type Disk,
  type Host,
  nodeEnvironment,
  nodeHost,
  type Owner,
} from './environment/index.js'

export { makeFolder, syncFolder } from './environment/index.js'

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
  /** When it was made, in ISO 8601. */
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
  environment: Omit<BulkEnvironment, 'clock'> = nodeEnvironment,
): Promise<(() => void) | Claim> {
  const { disk, host, randomId, turn } = environment
  const id = randomId()
  const file = (ending: string) => join(folder, `${wanted.ledger}.${id}.${ending}`)
  const own = { ...host.self(), id, ...wanted }
  const release = () => {
    for (const ending of ['draft', 'held', 'lock']) disk.remove(file(ending))
  }
  try {
    disk.create(file('draft'), `${JSON.stringify(own)}\n`)
    disk.rename(file('draft'), file('lock'))
    for (let polls = 0; ; polls++) {
      const others = claimsOn(folder, stem, environment).filter((each) => each.id !== id && conflicts(each, own))
      const [first] = others.filter(({ isHeld, id: other }) => isHeld || other < id || polls > maxPolls)
      if (first) {
        release()
        return first
      }
      if (others.length === 0) break
      await turn()
    }
    disk.create(file('held'), '')
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
function claimsOn(folder: string, stem: string, { disk, host }: Pick<BulkEnvironment, 'disk' | 'host'>): Claim[] {
  const names = disk.list(folder).filter((name) => name.startsWith(`${stem}.`))
  const claims = names.filter((name) => /\.(lock|draft)$/.test(name))
  return claims.flatMap((name) => {
    const file = join(folder, name)
    const held = name.replace(/lock$/, 'held')
    const content = contentOf(disk, file)
    if (!content) return []
    const status = ownerStatus(content, host)
    if (status === 'ended') {
      disk.remove(join(folder, held))
      disk.remove(file)
    }
    // Whoever writes a draft reads the other claims after it is renamed.
    if (status === 'ended' || name.endsWith('.draft')) return []
    return [{ ...content, file, isHeld: names.includes(held), isSeen: status === 'runs' }]
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
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
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
  if (owner.boot !== here.boot) return owner.boot !== undefined && here.boot !== undefined ? 'ended' : 'hidden'
  const now = host.process(owner.pid)
  if (!now || now.isDead) return 'ended'
  const isOther = owner.started !== undefined && now.started !== undefined && owner.started !== now.started
  return isOther ? 'ended' : 'runs'
}

/** A word for a file name that tells which process writes the file. */
export const ownerMark = (): string => `${hereMark()}-${nodeHost.self().pid}`

/** True if the process of a mark has certainly ended. */
export function hasEnded(mark: string): boolean {
  const [here, number] = mark.split('-')
  return here === hereMark() && Number(number) > 0 && !nodeHost.process(Number(number))
}

/** The processes of other machines, containers and boots have other marks. */
function hereMark(): string {
  const { host, namespace = '', boot } = nodeHost.self()
  return `${(boot ?? host).replace(/\W/g, '').slice(0, 16)}${namespace.replace(/\D/g, '')}`
}
