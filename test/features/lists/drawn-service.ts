import { createClient } from '@svc/client'
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import type { AllAmbiguities } from '@svc/reference-server/testing'
import fc from 'fast-check'
import { handClock } from '../../helpers/hand-clock.js'
import { fetchOf, type RequestHandler, type Session } from '../../helpers/session.js'

/** How the service handles one POST of an upload. */
export type PostFault =
  | 'none'
  | 'stored, then 503'
  | '503'
  | 'stored, then 500'
  | 'stored, then 504 of a gateway'
  | 'stored, then reset'
  | 'reset'

/** A service as the interface allows it. */
export interface DrawnService {
  ambiguities: Partial<AllAmbiguities>
  /** Of the POSTs in turn; later ones have no fault. */
  faults: readonly PostFault[]
  /** Transcripts of other programs in the project. */
  others: number
}

const either = <const T>(...values: T[]) => fc.constantFrom(...values)
/** Mostly the first value, so that a drawn service differs in few points and its other points matter. */
const mostly = <const T extends unknown[]>(...values: T): fc.Arbitrary<T[number]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(values[0]) },
    { weight: 2, arbitrary: fc.constantFrom(...values.slice(1)) },
  )

/** Shorter than the time after which a write counts as absent, but for the last. */
const lag = mostly(0, 3_000, 8_000, 14_000, 200_000)

/**
 * Limits ambiguities to those with which the client works: the list may lag longer than the settle time only if the service
 * shows that it has more than it lists, or refuses a second copy.
 */
export function survivable({ databaseSkewMs = 0, ...others }: Partial<AllAmbiguities>): Partial<AllAmbiguities> {
  // Only a stamp identifies a record that looks older by more than ten minutes.
  const ambiguities = {
    ...others,
    databaseSkewMs: others.metadata === 'kept' ? databaseSkewMs : Math.max(databaseSkewMs, -300_000),
  }
  const isCounted =
    ambiguities.totalLags === false && ambiguities.total === 'exact' && ambiguities.pagination === 'full'
  if ((ambiguities.listLagMs ?? 0) <= 15_000 || isCounted || ambiguities.externalIdUnique) return ambiguities
  return { ...ambiguities, listLagMs: 14_000 }
}

/** Every ambiguity that decides what a client sees of stored records. */
const drawn = {
  rowFields: mostly('full', 'id', 'names', 'no metadata', 'null metadata', 'empty metadata'),
  metadata: mostly('kept', 'stripped', 'strings', 'flat', 'svc refused'),
  pagination: mostly('full', 'none', 'text'),
  total: mostly('exact', 'none', 'minus one', 'capped', 'low', 'of the page'),
  totalCap: fc.integer({ min: 1, max: 40 }),
  // Shuffled pages of fewer rows could repeat by chance.
  pageCap: mostly(0, 10, 25),
  pageCapReported: fc.boolean(),
  order: mostly('descending', 'ascending', 'unstable'),
  listLagMs: lag,
  totalLags: fc.boolean(),
  filters: mostly('on', 'ignored', 'refused', 'lagging', 'days only'),
  filterLagMs: either(10_000, 60_000),
  pastEnd: mostly('empty', 404, 400),
  turns: mostly('turns', 'messages', 'none', 'redacted'),
  created: mostly(201, 200, 202, 'empty'),
  externalIdUnique: fc.boolean(),
  dateHeader: fc.boolean(),
  databaseSkewMs: mostly(0, -300_000, 300_000, -3_600_000),
  errorBody: mostly('envelope', 'detail', 'message', 'text', 'html'),
  listsAnnotators: fc.boolean(),
  healthNeedsKey: fc.boolean(),
}
const ambiguities: fc.Arbitrary<Partial<AllAmbiguities>> = fc.record(drawn)

/** The names of the ambiguities that are drawn. */
export const drawnAmbiguities: readonly string[] = Object.keys(drawn)

export const services: fc.Arbitrary<DrawnService> = fc.record({
  ambiguities: ambiguities.map(survivable),
  faults: fc.array(
    either<PostFault>(
      'none',
      'stored, then 503',
      '503',
      'stored, then 500',
      'stored, then 504 of a gateway',
      'stored, then reset',
      'reset',
    ),
    { maxLength: 3 },
  ),
  others: mostly(0, 1, 3, 12, 30),
})

/** A drawn service that runs, as a session whose answers need not conform to the spec. */
export interface RunningService extends Session {
  project: string
  /** The ids of stored transcripts with this external id. */
  storedAs(externalId: string): string[]
  /** Store a transcript as another program does. */
  storeOther(name: string, content: string, externalId?: string): string
}

export function run({ ambiguities, faults, others }: DrawnService): RunningService {
  const clock = handClock()
  const server = createReferenceServer({ clock, baseUrl: 'https://svc.test', ambiguities, onError: failOn })
  const { id: project } = server.world.createProject({ name: 'P' }).record
  const storeOther = (name: string, content: string, externalId?: string): string => {
    const stored = server.world.project(project)
    if (!stored) throw new Error('The project is gone.')
    const write = Buffer.from(name).toString('hex').padStart(32, '0').slice(-32)
    const metadata = { svc: { key: write, occurrence: 1, write } }
    const upload = { name, turns: [{ role: 'user' as const, content }], metadata, ...(externalId && { externalId }) }
    return server.world.createTranscript(stored, upload).record.id
  }
  for (let i = 0; i < others; i++) storeOther(`Other ${i}`, `other ${i}`)
  let posts = 0
  const fetch: RequestHandler = async (request) => {
    const isUpload = request.method === 'POST' && request.url.endsWith('/transcripts')
    const fault = isUpload ? (faults[posts++] ?? 'none') : 'none'
    if (fault === 'none') return server.fetch(request)
    if (fault.startsWith('stored')) {
      const answer = await server.fetch(new Request(request))
      if (answer.status >= 400) return answer
    }
    if (fault.endsWith('reset')) {
      const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
      throw new TypeError('fetch failed', { cause })
    }
    if (fault.endsWith('gateway')) return new Response('<h1>Gateway time-out</h1>', { status: 504 })
    return new Response('{}', { status: fault.endsWith('500') ? 500 : 503 })
  }
  const { publicBaseUrl, baseUrl } = server
  const svc = createClient({
    apiKey: referenceKey,
    baseUrl,
    publicBaseUrl,
    clock,
    environment: {},
    fetch: fetchOf(fetch),
  })
  const storedAs = (externalId: string) =>
    server.world
      .transcripts(project)
      .filter(({ record }) => record.external_id === externalId)
      .map(({ record }) => record.id)
  return { server, clock, svc, client: () => svc, fetch, exchanges: [], project, storedAs, storeOther }
}

function failOn(error: unknown): never {
  throw error
}

/** True if a list of this service cannot be told from one of a single page that counts itself correctly. */
export const looksWhole = ({ ambiguities }: DrawnService): boolean =>
  ambiguities.pageCap !== 0 &&
  ambiguities.pageCapReported === false &&
  ambiguities.pagination === 'full' &&
  ['capped', 'low', 'of the page'].includes(ambiguities.total ?? 'exact')
