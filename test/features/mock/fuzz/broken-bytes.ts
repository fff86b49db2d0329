import fc from 'fast-check'
import { junk, requests } from './requests.js'
import type { Known } from './targets.js'

/** Bytes in a few pieces: requests that were bent, put together or cut, and bytes of any kind. */
export function brokenBytes(known: Known): fc.Arbitrary<Buffer[]> {
  const some = fc
    .array(requests(known), { minLength: 1, maxLength: 3 })
    .map((all) => Buffer.concat(all.map(({ bytes }) => bytes)))
  const flipped = fc.tuple(some, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 })).map(([bytes, flips]) => {
    const copy = Buffer.from(bytes)
    for (const [at, put] of flips) copy[at % copy.length] = put
    return copy
  })
  const cut = fc.tuple(some, fc.nat(), fc.nat()).map(([bytes, from, to]) => {
    const [start, end] = [from % bytes.length, to % bytes.length].sort((a, b) => a - b)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  })
  const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const lines = fc.array(junk, { maxLength: 5 }).map((all) => Buffer.from(`${all.join('\r\n')}\r\n\r\n`))
  return fc
    .tuple(fc.oneof({ arbitrary: flipped, weight: 5 }, { arbitrary: cut, weight: 3 }, some, random, lines), fc.nat())
    .map(([bytes, at]) => [bytes.subarray(0, at % (bytes.length + 1)), bytes.subarray(at % (bytes.length + 1))])
}
