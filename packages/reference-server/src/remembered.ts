/** A function that remembers its last argument and result: one request asks like the one before it. */
export function remembered<Argument extends string | number, Result>(
  make: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { argument: Argument; result: Result } | undefined
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: make(argument) }
    return last.result
  }
}
