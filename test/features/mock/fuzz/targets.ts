import fc from 'fast-check'
import { annotation, project, upload } from './bodies.js'

/** One of some texts, with a weight among others. */
export const often = (weight: number, ...values: string[]) => ({ arbitrary: fc.constantFrom(...values), weight })

/** Ids of what the server under test knows. */
export interface Known {
  project: string
  transcript: string
}

/** A request that is right in every respect. */
export interface Right {
  method: string
  path: string
  body?: object
}

const publicBase = '/public/api/v1'

/** Requests of every operation. */
export function rightRequests({ project: id, transcript }: Known): Right[] {
  const get = (path: string): Right => ({ method: 'GET', path })
  const post = (path: string, body: object): Right => ({ method: 'POST', path, body })
  return [
    get('/health'),
    get('/v1/annotators'),
    get('/v1/batches/b1'),
    get('/openapi.json'),
    get('/docs'),
    post('/v1/annotations', annotation),
    post('/v1/annotations', { ...annotation, annotator: 'patterns' }),
    post('/v1/batches', {}),
    get(`${publicBase}/projects`),
    get(`${publicBase}/projects/${id}`),
    get(`${publicBase}/projects/${id}/transcripts`),
    get(`${publicBase}/transcripts/${transcript}`),
    post(`${publicBase}/projects`, project),
    post(`${publicBase}/projects/${id}/transcripts`, upload),
    post(`${publicBase}/halfpipe/sessions`, project),
    post(`${publicBase}/halfpipe/transcripts`, { ...upload, projectId: id }),
  ]
}

const encoded = fc.string({ unit: 'binary', maxLength: 12 }).map(encodeURIComponent)
const oddPart = fc.oneof(
  encoded,
  fc.constantFrom('..', '.', '%2e%2e', '%', '%E0%A4%A', '%00', '%2F', 'hp-', 'tr_', '__proto__', 'constructor', '~'),
  fc.integer({ min: 1, max: 300 }).map((length) => 'x'.repeat(length)),
)
const oddPath = fc.oneof(
  often(2, '/', '//', '//health', publicBase, `${publicBase}/`, '/HEALTH', '/health/', '/public/api/v10/projects'),
  { arbitrary: fc.webPath().map((text) => `/${text}`), weight: 1 },
)

/** A path with one of its parts in another form. */
const bent = (path: string) =>
  fc.tuple(fc.nat(5), oddPart).map(([at, part]) => {
    const parts = path.split('/').slice(1)
    return `/${parts.with(at % parts.length, part).join('/')}`
  })

const parameter = fc.tuple(
  fc.constantFrom('page', 'limit', 'q', 'annotation', 'date_from', 'date_to', 'language', 'model_name', 'x', ''),
  fc.oneof(
    encoded,
    fc.constantFrom('', '0', '1', '100', '101', '-1', '1e3', ' 1', 'a:b', ':', '2026-01-01', '%', '%ff', '1&1'),
  ),
)
const query = fc
  .array(parameter, { minLength: 1, maxLength: 4 })
  .map((all) => `?${all.map(([name, text]) => `${name}=${text}`).join('&')}`)

/** The target of a request line that asks for a path, or for something else. */
export function targets(path: string): fc.Arbitrary<string> {
  const asked = fc.oneof(
    { arbitrary: fc.constant(path), weight: 10 },
    { arbitrary: bent(path), weight: 3 },
    { arbitrary: oddPath, weight: 1 },
  )
  const origin = fc.oneof(often(60, ''), often(1, 'http://elsewhere.test:1', 'HTTP://[::1]', 'https://u@x'))
  const odd = often(
    1,
    '*',
    'a.test:443',
    'ftp://x/health',
    '',
    `/${'x'.repeat(17_000)}`,
    '/health#x',
    '/\xfc',
    '/a|b"<>',
  )
  const target = fc
    .tuple(origin, asked, fc.oneof(often(2, ''), { arbitrary: query, weight: 1 }))
    .map((parts) => parts.join(''))
  return fc.oneof({ arbitrary: target, weight: 80 }, odd)
}
