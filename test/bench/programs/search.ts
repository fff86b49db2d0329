import { createServer, referenceKey } from '@svc/reference-server/core'

/**
 * Milliseconds of the processor for each search, the answer read, in a project of 10 000 transcripts of 50 turns of about
 * 100 characters. The first search is the first that the project ever saw. Printed as JSON.
 */
export interface Searched {
  searches: Record<string, number[]>
  /** By `annotation=key:value`: at first every transcript of the project is judged, as far as the key asks for it. */
  annotations: Record<string, number[]>
  /** Of the whole process. */
  rss: number
  /** Milliseconds to make and store one transcript, on average. */
  storedIn: number
}

const words = (
  'the order was late and my card has been charged twice so please send it back to me today because nothing works ' +
  'since monday when I called your support they told us that delivery would take three more days but nobody came'
).split(' ')
const foreign = ['Straße', 'café', 'naïve', '配送', 'заказ', 'déjà', 'señor', '🙂']

/** The same text in every run; one word in forty is not ASCII, one turn in ten holds one beyond Latin-1. */
let state = 1
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
const content = () => Array.from({ length: 19 }, () => (random(40) === 0 ? pick(foreign) : pick(words))).join(' ')

const server = createServer()
const models = ['m-1', 'm-2', 'm-3', 'm-4']
const started = process.cpuUsage()
const count = 10_000
const project = server.world.createProject({ name: `${count} transcripts` })
for (let i = 0; i < count; i++) {
  const turns = Array.from({ length: 50 }, (_, turn) => ({
    role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: i === count - 7 && turn === 31 ? `${content()} Zahnradbahn` : content(),
  }))
  const sourceTimestamp = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()
  // As an upload leaves it: flat strings out of JSON.
  const upload = JSON.parse(JSON.stringify({ name: `Talk ${i}`, turns, modelName: pick(models), sourceTimestamp }))
  server.world.createTranscript(project, upload)
}
const transcripts = `${server.publicBaseUrl}/projects/${project.record.id}/transcripts`
const storing = process.cpuUsage(started)
const storedIn = (storing.user + storing.system) / 1_000 / count

async function ms(url: string, expected: (total: number) => boolean = () => true): Promise<number> {
  const request = new Request(url, { headers: { authorization: `Bearer ${referenceKey}` } })
  const before = process.cpuUsage()
  const body = await (await server.fetch(request)).json()
  const { user, system } = process.cpuUsage(before)
  if (!expected(body.pagination?.total)) throw new Error(`${url}: ${JSON.stringify(body.pagination ?? body)}`)
  return (user + system) / 1_000
}

const searches: Searched['searches'] = {}
const terms: Record<string, [query: string, expected: (total: number) => boolean]> = {
  'a rare term': ['zahnradbahn', (total) => total === 1],
  'a frequent term': ['charged', (total) => total > 9_000],
  'two terms': ['strasse delivery', (total) => total > 5_000],
  'a rare and a frequent term': ['the zahnradbahn', (total) => total === 1],
  'a term beyond Latin-1': ['配送', (total) => total > 5_000],
  'a term that is nowhere': ['nowhere-at-all', (total) => total === 0],
  'a term that is nowhere, of its letters': ['deliverz', (total) => total === 0],
}
for (const [name, [query, expected]] of Object.entries(terms)) {
  const times: number[] = []
  for (let i = 0; i < 12; i++) times.push(await ms(`${transcripts}?q=${encodeURIComponent(query)}`, expected))
  searches[name] = times
}

const annotations: Searched['annotations'] = {}
for (const name of ['mood:calm', 'tool_error:true', 'user_frustration:true', 'structure:poor', 'outcome:strong']) {
  const times: number[] = []
  for (let i = 0; i < 12; i++) times.push(await ms(`${transcripts}?annotation=${name}`))
  annotations[name] = times
}

const searched: Searched = { searches, annotations, rss: process.memoryUsage().rss, storedIn }
console.log(JSON.stringify(searched))
