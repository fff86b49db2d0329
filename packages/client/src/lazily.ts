/** Computes a value on first use. */
export function lazily<T>(make: () => T): () => T {
  let made: [T] | undefined
  return () => {
    made ??= [make()]
    return made[0]
  }
}
