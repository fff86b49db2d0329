/** A promise that somebody else settles: `give` resolves it, or lets it follow another. */
export function promised(): { promise: Promise<void>; give(after?: Promise<void>): void } {
  let give: (after?: Promise<void>) => void = () => {}
  const promise = new Promise<void>((resolve) => {
    give = resolve
  })
  return { promise, give }
}
