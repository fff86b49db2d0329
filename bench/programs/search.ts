import { createServer, referenceKey } from '@svc/reference-server/core'

/** Prints the milliseconds of the first search in 10 000 transcripts of 50 turns of about 100 characters. */
const words = (
  'the order was late and my card has been charged twice so please send it back to me today because nothing works ' +
  'since monday when I called your support they told us that delivery would take three more days but nobody came'
).split(' ')
const foreign = ['Straße', 'café', 'naïve', '配送', 'заказ', 'déjà', 'señor', '🙂']

/** Deterministic; one word in forty is not ASCII. */
let state = 1
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
const content = () => Array.from({ length: 19 }, () => (random(40) === 0 ? pick(foreign) : pick(words))).join(' ')

const server = createServer()
const count = 10_000
const project = server.world.createProject({ name: `${count} transcripts` })
for (let i = 0; i < count; i++) {
  const turns = Array.from({ length: 50 }, (_, turn) => ({
    role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: i === count - 7 && turn === 31 ? `${content()} Zahnradbahn` : content(),
  }))
  // Flat strings, as JSON.parse of an upload creates them.
  server.world.createTranscript(project, JSON.parse(JSON.stringify({ name: `Transcript ${i}`, turns })))
}

const url = `${server.publicBaseUrl}/projects/${project.record.id}/transcripts?q=zahnradbahn`
const request = new Request(url, { headers: { authorization: `Bearer ${referenceKey}` } })
const startedAt = performance.now()
const { pagination } = await (await server.fetch(request)).json()
const took = performance.now() - startedAt
if (pagination.total !== 1) throw new Error(`found ${pagination.total}`)
console.log(took)
