/**
 * The fewest and smallest choices that still fail. Tries to make long runs of them harmless, to leave them out, and to
 * lower single ones; later choices than those of the result are harmless.
 */
export async function shrink(
  made: readonly number[],
  fails: (made: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let best = withoutEnd(made)
  const accepts = async (candidate: readonly number[]): Promise<boolean> => {
    const shorter = withoutEnd(candidate)
    if (shorter.length === best.length && shorter.every((choice, i) => choice === best[i])) return false
    if (!(await fails(shorter))) return false
    best = shorter
    return true
  }
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (let size = best.length; size >= 1; size >>= 1) {
      for (let at = best.length - size; at >= 0; at -= size) {
        const isInside = (i: number) => i >= at && i < at + size
        isSmaller =
          (await accepts(best.map((choice, i) => (isInside(i) ? 0 : choice)))) ||
          (await accepts(best.filter((_, i) => !isInside(i)))) ||
          (size === 1 && (best[at] ?? 0) > 1 && (await accepts(best.map((choice, i) => (i === at ? 1 : choice))))) ||
          isSmaller
      }
    }
  }
  return best
}

/** Harmless choices at the end are made by themselves. */
const withoutEnd = (made: readonly number[]): readonly number[] =>
  made.slice(0, made.findLastIndex((each) => each !== 0) + 1)
