import { areSameVersions, type Versions, versionsText } from '../versions.js'

/** The versions of one annotator in the course of a run. */
export interface KnownVersions {
  /** Those that the registry listed last: what to look for in the cache. */
  at(): Versions
  /**
   * Whether an annotation is to be kept, under the versions that it carries: they are some that the registry listed in
   * this run. Where they are not, it is asked once more in the run, and what does not agree then is said once.
   */
  admit(annotation: Versions): Promise<boolean>
}

/** `relist` gives what the registry lists now; where it cannot tell, nothing new is known. */
export function createVersions(
  listed: Versions,
  relist: () => Promise<Versions | undefined>,
  say: (line: string) => void,
): KnownVersions {
  const known = [listed]
  let asking: Promise<void> | undefined
  let isSaid = false
  const isKnown = (versions: Versions) => known.some((each) => areSameVersions(each, versions))

  async function askAgain(): Promise<void> {
    const versions = await relist().catch(() => undefined)
    if (versions) known.push(versions)
  }

  const at = () => known.at(-1) ?? listed
  return {
    at,
    async admit(annotation) {
      if (isKnown(annotation)) return true
      asking ??= askAgain()
      await asking
      if (isKnown(annotation)) return true
      if (!isSaid) {
        const [got, want] = [versionsText(annotation), versionsText(at())]
        say(`answers are of ${got}, and the registry lists ${want}: such answers are not cached`)
      }
      isSaid = true
      return false
    },
  }
}
