import type { LedgerEvent, Unidentified } from './events.js'

/** The fields by which an upload is compared with a transcript that shows no stamp. */
export interface Appearance {
  name: string
  /** Number of turns. */
  turns: number
  externalId?: string | undefined
  turnsHash: string
}

/** The transcripts of a project that show no stamp: an upload that looks like one may be stored as that one. */
export function createUnidentified() {
  const byId = new Map<string, Unidentified>()
  /** By the fields that they show, if they show all. */
  const byLook = new Map<string, Set<string>>()
  const partlyShown = new Set<string>()

  function groupOf({ name, turns, externalId }: Unidentified): Set<string> {
    if (name === undefined || turns === undefined || externalId === undefined) return partlyShown
    const look = lookOf(name, turns, externalId)
    const group = byLook.get(look) ?? new Set()
    byLook.set(look, group)
    return group
  }

  return {
    apply(event: LedgerEvent): void {
      const known = byId.get(event.key)
      if (event.event === 'unidentified') {
        byId.set(event.key, event)
        groupOf(event).add(event.key)
      } else if (known) {
        byId.delete(event.key)
        groupOf(known).delete(event.key)
      }
    },

    /** The ids of those that look like an upload, and of these the ones with the same turns. */
    like(upload: Appearance): { ids: string[]; sameTurns: string[] } {
      const shown = byLook.get(lookOf(upload.name, upload.turns, upload.externalId ?? null)) ?? []
      const mayBe = [...partlyShown].filter((id) => isLike(byId.get(id) as Unidentified, upload))
      const ids = [...shown, ...mayBe]
      return { ids, sameTurns: ids.filter((id) => byId.get(id)?.words === upload.turnsHash) }
    },
  }
}

const lookOf = (name: string, turns: number, externalId: string | null) => JSON.stringify([name, turns, externalId])

/** A field that is not shown may be equal. */
const isLike = ({ name, turns, externalId }: Unidentified, upload: Appearance): boolean =>
  (name === undefined || name === upload.name) &&
  (turns === undefined || turns === upload.turns) &&
  (externalId === undefined || externalId === (upload.externalId ?? null))
