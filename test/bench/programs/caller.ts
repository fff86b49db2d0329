import { createInterface } from 'node:readline'
import { timed } from '../measure.js'
import { type PeerName, peers, type Upload } from './peers.js'

/**
 * One variant in a process of its own, so that neither the compiler's guesses nor the garbage of the others are put
 * to its account. Takes turns by lines on stdin, `calls callers get|upload`, and prints what each turn spent.
 */
const [name = '', baseUrl = ''] = process.argv.slice(2)
const peer = peers[name as PeerName](baseUrl)

const turns = Array.from({ length: 5 }, () => ({ role: 'user' as const, content: 'x'.repeat(1_000_000) }))
const large: Upload = { name: 'large', turns }
const work = { get: () => peer.get(), upload: () => peer.upload(large) }

for await (const line of createInterface({ input: process.stdin })) {
  const [calls, callers, what] = line.split(' ')
  // A turn comes after a rest: what the processor forgot meanwhile is no cost of the variant.
  await timed(Math.ceil(Number(calls) / 10), work[what as keyof typeof work])()
  const before = process.cpuUsage()
  const wall = await timed(Number(calls), work[what as keyof typeof work], Number(callers))()
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ wall, cpu: (user + system) / 1_000 / Number(calls) }))
}
process.exit()
