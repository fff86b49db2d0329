import { mayBeShownAs } from '@svc/client'
import type { LedgerEvent, Unidentified } from './events.js'

/** The fields by which an upload is compared with a transcript that shows no stamp. */
export interface Fingerprint {
  name: string
  /** Number of turns. */
  turns: number
  externalId?: string | undefined
  turnsHash: string
}

/** The transcripts of a project that show no stamp: an upload that looks like one may be stored as that one. */
export function createUnidentified() {
  const byId = new Map<string, Unidentified>()
  const byTurns = new Map<string, Set<string>>()
  /** Those whose content decides nothing, by their number of turns. */
  const byCount = new Map<number | undefined, Set<string>>()

  const groupsOf = ({ turns, turnsHash, ambiguous }: Unidentified): Set<string>[] => [
    ...(turnsHash === undefined ? [] : [groupIn(byTurns, turnsHash)]),
    ...(turnsHash === undefined || ambiguous ? [groupIn(byCount, turns)] : []),
  ]

  return {
    apply(event: LedgerEvent): void {
      const earlier = byId.get(event.key)
      if (earlier && byId.delete(event.key)) for (const group of groupsOf(earlier)) group.delete(event.key)
      if (event.event !== 'unidentified') return
      byId.set(event.key, event)
      for (const group of groupsOf(event)) group.add(event.key)
    },

    /** Those that may be any upload of this ledger: they show neither their stamp nor their content. */
    ambiguous: (): Unidentified[] => [...byId.values()].filter(({ ambiguous }) => ambiguous),

    /** The ids of those that show the turns of an upload, and of those that may have them and look like it. */
    like(upload: Fingerprint): { sameTurns: string[]; alike: string[] } {
      const sameTurns: string[] = []
      const alike: string[] = []
      const { externalId = null } = upload
      for (const id of byTurns.get(upload.turnsHash) ?? []) {
        const { externalId: shown = externalId } = byId.get(id) as Unidentified
        if (shown === externalId) sameTurns.push(id)
        // A service may hide the external id that it was given; but it may also be that of another upload.
        else if (mayBeShownAs(externalId, shown)) alike.push(id)
      }
      for (const count of [upload.turns, undefined])
        for (const id of byCount.get(count) ?? [])
          if (!sameTurns.includes(id) && isLike(byId.get(id) as Unidentified, upload)) alike.push(id)
      return { sameTurns, alike }
    },
  }
}

/** A field that is not shown may be equal. */
const isLike = ({ name, externalId }: Unidentified, upload: Fingerprint): boolean =>
  (name === undefined || mayBeShownAs(upload.name, name)) &&
  (externalId === undefined || mayBeShownAs(upload.externalId ?? null, externalId))

/** The set with a name, which is added if it is missing. */
function groupIn<Name>(groups: Map<Name, Set<string>>, name: Name): Set<string> {
  const group = groups.get(name) ?? new Set()
  groups.set(name, group)
  return group
}
