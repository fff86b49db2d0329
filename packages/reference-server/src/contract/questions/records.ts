import { NotTried } from '../service.js'
import { type Fields, fieldsOf, isEqual, onB, type Trial, upload } from '../trial.js'
import type { Questions, Survey } from './question.js'

/** The status of an upload into the project of the run. */
async function statusOf(trial: Trial, fields: Fields): Promise<number> {
  const path = `/projects/${await trial.project()}/transcripts`
  return (await trial.ask(onB(path, { body: upload(fields) }))).status
}

/** True if an upload is accepted, false if it is refused with this status. */
function isAccepted(status: number, refusal: number, what: string): boolean {
  if (status < 300) return true
  if (status === refusal) return false
  throw new NotTried(`${what} was answered with ${status}`)
}

/** The values of nested objects under the names of their paths; an empty object is a value. */
const flat = (path: string, fields: Fields): [string, unknown][] =>
  Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    const nested = fieldsOf(value)
    return Object.keys(nested).length > 0 ? flat(`${path}${name}.`, nested) : [[path + name, value]]
  })

async function metadata({ trial, probes }: Survey) {
  const { probe, answer, metadata: sent } = await probes()
  const { metadata: stored } = await trial.read(`/transcripts/${probe.id}`)
  const answered = fieldsOf(fieldsOf(answer.json).data).metadata
  if (answered !== undefined && !isEqual(answered, stored))
    throw new NotTried('the upload and the read show different metadata')
  const texts = Object.entries(sent).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const readings = [
    ['kept', sent],
    ['stripped', {}],
    ['strings', Object.fromEntries(texts)],
    ['flat', Object.fromEntries(flat('', sent))],
  ] as const
  const [reading] = readings.find(([, expected]) => isEqual(stored, expected)) ?? []
  const isReserved = !isAccepted(
    await statusOf(trial, { metadata: { svc: { key: trial.word() } } }),
    400,
    'metadata with svc',
  )
  if (reading === undefined) throw new NotTried('the metadata was changed in another way')
  if (isReserved && reading !== 'kept')
    throw new NotTried('metadata with svc is refused, and other metadata is changed')
  return isReserved ? 'svc refused' : reading
}

async function turns({ trial, probes }: Survey) {
  const { probe } = await probes()
  const record = await trial.read(`/transcripts/${probe.id}`)
  if ('messages' in record && !('turns' in record)) return 'messages'
  if (!('turns' in record)) return 'none'
  const [first] = Array.isArray(record.turns) ? record.turns : []
  const { content } = fieldsOf(first)
  if (typeof content === 'string') return 'turns'
  if (content === null) return 'redacted'
  throw new NotTried('the turns have another form')
}

async function created({ probes }: Survey) {
  const { status, text, json, headers } = (await probes()).answer
  const isShown = typeof fieldsOf(fieldsOf(json).data).id === 'string'
  if (status === 201 && text === '' && headers.location) return 'empty'
  if (isShown && (status === 201 || status === 200 || status === 202)) return status
  throw new NotTried(`an upload was answered with ${status} in another form`)
}

/** One character of two UTF-16 units. */
const face = '😀'

async function charactersAre({ trial }: Survey) {
  const isTaken = async (language: string) => isAccepted(await statusOf(trial, { language }), 400, 'a language')
  if (await isTaken('x'.repeat(11))) throw new NotTried('the length of a language is not limited')
  if (await isTaken(face.repeat(10))) {
    if (await isTaken(face.repeat(11))) throw new NotTried('lengths are counted in another unit')
    return 'code points'
  }
  if (!(await isTaken(face.repeat(5))) || (await isTaken(`${face.repeat(5)}x`)))
    throw new NotTried('lengths are counted in another unit')
  return 'utf-16 units'
}

async function compressedBodies({ trial }: Survey): Promise<boolean> {
  const path = `/projects/${await trial.project()}/transcripts`
  const stream = new Blob([JSON.stringify(upload())]).stream().pipeThrough(new CompressionStream('gzip'))
  const body = new Uint8Array(await new Response(stream).arrayBuffer())
  const { status } = await trial.ask(onB(path, { body, headers: { 'content-encoding': 'gzip' } }))
  return isAccepted(status, 400, 'a compressed upload')
}

async function externalIdUnique({ trial }: Survey): Promise<boolean> {
  const externalId = trial.word()
  const first = await statusOf(trial, { externalId })
  if (first >= 300) throw new NotTried(`an upload was answered with ${first}`)
  return !isAccepted(await statusOf(trial, { externalId }), 409, 'a second upload with the same externalId')
}

const turnOf = (content: string) => ({ role: 'user', content })

/** True if an upload with a body of its own making is accepted, false if it is too large. */
async function fits(trial: Trial, body: string): Promise<boolean> {
  const path = `/projects/${await trial.project()}/transcripts`
  return isAccepted((await trial.ask(onB(path, { body }))).status, 413, 'a large upload')
}

/** The size of which an upload is accepted, and of one byte more not. Only the sizes that the interface may mean are tried. */
async function limitOf(sizes: readonly number[], isTaken: (bytes: number) => Promise<boolean>): Promise<number> {
  for (const bytes of sizes) {
    if (!(await isTaken(bytes))) continue
    if (!(await isTaken(bytes + 1))) return bytes
    throw new NotTried(`more than ${bytes} bytes are accepted`)
  }
  throw new NotTried(`${sizes.at(-1)} bytes are refused`)
}

async function turnBytes({ trial }: Survey): Promise<number> {
  const half = turnOf('x'.repeat(600_000))
  if (!(await fits(trial, JSON.stringify(upload({ turns: [half, half] })))))
    throw new NotTried('the limit of the body hides it')
  return limitOf([2 ** 20, 10 ** 6], (bytes) =>
    fits(trial, JSON.stringify(upload({ turns: [turnOf('x'.repeat(bytes))] }))),
  )
}

const bodyBytes = ({ trial }: Survey): Promise<number> =>
  limitOf([5 * 2 ** 20, 5 * 10 ** 6], (bytes) => fits(trial, JSON.stringify(upload()).padEnd(bytes)))

type RecordName =
  | 'metadata'
  | 'turns'
  | 'created'
  | 'charactersAre'
  | 'compressedBodies'
  | 'externalIdUnique'
  | 'turnBytes'
  | 'bodyBytes'

export const recordQuestions: Questions<RecordName> = {
  metadata,
  turns,
  created,
  charactersAre,
  compressedBodies,
  externalIdUnique,
  turnBytes,
  bodyBytes,
}
