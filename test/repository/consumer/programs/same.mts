type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only where both types are the same; `any` is the same as `any` alone. */
export const same = <A, B>(proof: Same<A, B>): boolean => proof
