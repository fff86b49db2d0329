import { createHash } from 'node:crypto'

/** A number of 64 bits that hangs on every byte of what it seals. */
export type Seal = bigint

/** The seal of a record: of its place in the order and of all that is kept of it. */
export function sealOf(seq: number, table: string, id: string, value: string | Uint8Array): Seal {
  const bytes = createHash('sha256').update(`${seq}\n${table}\n${id}\n`).update(value).digest()
  return bytes.readBigUInt64BE()
}

/** The seal of all records, whatever their order: their sum. Put or taken away in one step each. */
export const put = (all: Seal, one: Seal): Seal => BigInt.asUintN(64, all + one)
export const take = (all: Seal, one: Seal): Seal => BigInt.asUintN(64, all - one)

/** A seal as it is written. */
export const sealText = (seal: Seal): string => seal.toString(16).padStart(16, '0')
