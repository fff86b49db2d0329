import type { LedgerEvent, Unidentified } from './events.js'

/** The fields by which an upload is compared with a transcript that shows no stamp. */
export interface Fingerprint {
  name: string
  /** Number of turns. */
  turns: number
  externalId?: string | undefined
  turnsHash: string
  /** The path that it was read from. */
  path: string
}

/** The transcripts of a project that show no stamp: an upload that looks like one may be stored as that one. */
export function createUnidentified() {
  const byId = new Map<string, Unidentified>()
  const byTurns = new Map<string, Set<string>>()
  /** By name, number of turns and external id, of those that show all three. */
  const byFields = new Map<string, Set<string>>()
  const partlyShown = new Set<string>()

  const groupsOf = ({ name, turns, externalId, turnsHash }: Unidentified): Set<string>[] => {
    const isWhole = name !== undefined && turns !== undefined && externalId !== undefined
    const sameFields = isWhole ? groupIn(byFields, fieldsOf(name, turns, externalId)) : partlyShown
    return turnsHash === undefined ? [sameFields] : [sameFields, groupIn(byTurns, turnsHash)]
  }

  return {
    apply(event: LedgerEvent): void {
      const known = byId.get(event.key)
      if (known && byId.delete(event.key)) for (const group of groupsOf(known)) group.delete(event.key)
      if (event.event !== 'unidentified') return
      byId.set(event.key, event)
      for (const group of groupsOf(event)) group.add(event.key)
    },

    /** Those that may be any upload of this ledger: they show neither their stamp nor their content. */
    ambiguous: (): Unidentified[] => [...byId.values()].filter(({ ambiguous }) => ambiguous),

    /** The ids of those whose shown fields equal those of an upload, and of those with the same turns, whatever their name. */
    like(upload: Fingerprint): { sameFields: string[]; sameTurns: string[] } {
      const { name, turns, externalId = null, turnsHash } = upload
      const shown = byFields.get(fieldsOf(name, turns, externalId)) ?? []
      const mayBe = [...partlyShown].filter((id) => isLike(byId.get(id) as Unidentified, upload))
      const sameTurns: string[] = []
      const others: string[] = []
      for (const id of byTurns.get(turnsHash) ?? []) {
        const { externalId: stored = externalId } = byId.get(id) as Unidentified
        if (stored === externalId) sameTurns.push(id)
        // A service may not show the external id that it was given; but it may also be that of another upload.
        else if (stored === null) others.push(id)
      }
      return { sameFields: [...shown, ...mayBe, ...others], sameTurns }
    },
  }
}

/** The set with a name, which is added if it is missing. */
export function groupIn(groups: Map<string, Set<string>>, name: string): Set<string> {
  const group = groups.get(name) ?? new Set()
  groups.set(name, group)
  return group
}

const fieldsOf = (name: string, turns: number, externalId: string | null) => JSON.stringify([name, turns, externalId])

/** A field that is not shown may be equal. */
const isLike = ({ name, turns, externalId }: Unidentified, upload: Fingerprint): boolean =>
  (name === undefined || name === upload.name) &&
  (turns === undefined || turns === upload.turns) &&
  (externalId === undefined || externalId === (upload.externalId ?? null))
