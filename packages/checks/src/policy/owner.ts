/**
 * The first of the owners who is another user, as Git decides with `safe.directory`: root accepts its own files, and those
 * of the user who called it by sudo. Undefined if there is none, or where users have no ids.
 */
export function otherOwner(
  owners: readonly number[],
  uid: number | undefined,
  env: { SUDO_UID?: string | undefined },
): number | undefined {
  if (uid === undefined) return undefined
  const accepted = [uid, ...(uid === 0 && /^\d+$/.test(env.SUDO_UID ?? '') ? [Number(env.SUDO_UID)] : [])]
  return owners.find((owner) => !accepted.includes(owner))
}
