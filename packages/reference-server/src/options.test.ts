import { expect, test } from 'vitest'
import { createServer, defaultAnnotators, type Seed, steeredClock } from './core.js'
import { createReferenceServer } from './index.js'

const [annotator] = defaultAnnotators
const id = 'hp-00000000-0000-4000-8000-000000000000'
const turns = [{ role: 'user', content: 'Hi' }]

const making = (options: object) => () => createServer(options)

test.each([
  ['limit', 'limits'],
  ['baseURL', 'baseUrl'],
  ['annotator', 'annotators'],
  ['onerror', 'onError'],
  ['hosts', 'allowedHosts'],
])('an unknown option %s is refused, and %s is named', (name, meant) => {
  const message = `Invalid server options: /${name}: no such field (did you mean ${meant}?).`
  expect(making({ [name]: undefined })).toThrow(new TypeError(message))
  expect(() => createReferenceServer({ [name]: 1 })).toThrow(message)
})

test('an unknown option that is like no other is refused without a suggestion', () => {
  expect(making({ zzz: 1 })).toThrow(new TypeError('Invalid server options: /zzz: no such field.'))
})

test.each<[string, object]>([
  ['/limits/requests: expected a whole number from 0', { limits: { requests: -1, windowMs: 1 } }],
  ['/limits/windowMs: expected a number of milliseconds over 0', { limits: { requests: 1, windowMs: 0 } }],
  ['/limits/window: no such field (did you mean windowMs', { limits: { requests: 1, windowMs: 1, window: 1 } }],
  ['/limits/requests: required', { limits: {} }],
  ['/limits/windowMs: required', { limits: { requests: 1, saturation: { requests: 1, windowMs: 1 } } }],
  ['/limits/saturation/requests: required', { limits: { saturation: { windowMs: 1 } } }],
  ['/limits/saturation/requests: required', { limits: { requests: 1, windowMs: 1, saturation: { windowMs: 1 } } }],
  ['/pipeline/afterMs: expected a whole number from 0', { pipeline: { afterMs: -1 } }],
  ['/ambiguities: unknown ambiguity', { ambiguities: { lenientPages: true } }],
  ['/ambiguities: unknownAnnotator must be 404 or 422', { ambiguities: { unknownAnnotator: 500 } }],
  ['/faults/0: unknown operation upload', { faults: [{ kind: 'lost', on: 'upload' }] }],
  ['/control/token: required', { control: {} }],
  ['/clock/now: required', { clock: {} }],
  ['/store: expected an object', { store: 'folder' }],
  ['/ids: expected a function', { ids: 1 }],
  ['/baseUrl: expected an http or https URL', { baseUrl: 'svc.test' }],
  ['/substrate: expected one of fargate, lambda', { substrate: 'ecs' }],
  ['/journalSize: expected a whole number from 0, or Infinity', { journalSize: 0.5 }],
  ['/allowedHosts/1: expected a host name', { allowedHosts: ['a', 'https://b.example'] }],
  ['/allowedOrigins/0: expected an origin', { allowedOrigins: ['app.example'] }],
  ['/allowedOrigins/0: expected an origin', { allowedOrigins: ['https://app.example/'] }],
  ['/allowedOrigins/1: expected an origin', { allowedOrigins: ['*', 'https://App.example:443'] }],
])('an option that cannot be is refused: %s', (message, options) => {
  expect(making(options)).toThrow(message)
})

test.each<[string, object[]]>([
  ['/annotators/0/annotator_version: required', [{ ...annotator, annotator_version: undefined }]],
  ['/annotators/0/taxonomy_version: expected a string that is not empty', [{ ...annotator, taxonomy_version: '' }]],
  ['/annotators/0/description: expected a string', [{ ...annotator, description: 7 }]],
  ['/annotators/0/annotate: expected a function', [{ ...annotator, annotate: 'no' }]],
  ['/annotators/1/id: expected another value than /0/id', [{ ...annotator }, { ...annotator }]],
])('an annotator that cannot be is refused: %s', (message, annotators) => {
  expect(making({ annotators })).toThrow(message)
})

test.each<[string, object]>([
  ['/seed/projets: no such field (did you mean projects', { projets: [] }],
  ['/seed/projects/0/id: expected the form hp-<uuid>', { projects: [{ id: 'hp-1', name: 'P' }] }],
  [`/seed/projects/1/id: expected another value than /projects/0/id`, { projects: twice({ id, name: 'P' }) }],
  ['/seed/keys/1/key: expected another value than /keys/0/key', { keys: twice({ key: 'k' }) }],
  [
    '/seed/keys/0/workspace: expected one of the workspaces of the seed: a, b',
    { workspaces: ['a', 'b'], keys: [{ key: 'k', workspace: 'c' }] },
  ],
  [
    '/seed/projects/0/workspace: expected one of the workspaces of the seed: reference',
    { projects: [{ name: 'P', workspace: 'c' }] },
  ],
  [
    '/seed/projects/0/transcripts/0/id: expected an id that begins with tr_',
    { projects: [{ name: 'P', transcripts: [{ id: '1', name: 't', turns }] }] },
  ],
  [
    '/seed/projects/1/transcripts/0/id: expected another value than /projects/0/transcripts/0/id',
    { projects: twice({ name: 'P', transcripts: [{ id: 'tr_1', name: 't', turns }] }) },
  ],
])('an invalid seed is refused: %s', (message, seed) => {
  expect(making({ seed })).toThrow(message)
})

test('reports all invalid options at once', () => {
  const options = { limits: { requests: 1.5, windowMs: 1 }, seed: { keys: [{}] }, sed: {} }
  expect(making(options)).toThrow(/\/seed\/keys\/0\/key: required; \/limits\/requests: .*; \/sed: no such field/)
})

test('ignores undefined options and accepts instances of classes', () => {
  class Always {
    id = 'always'
    annotator_version = '1'
    taxonomy_version = '1'
    description = ''
    annotate = annotator?.annotate
  }
  class Mine extends Always {}
  const limits = { requests: Number.POSITIVE_INFINITY, windowMs: 1000, saturation: undefined }
  const seed = { keys: [{ key: 'k', workspace: undefined }] }
  const clock = Object.create(steeredClock())
  expect(making({ limits, seed, clock, control: undefined, annotators: [new Mine()] })).not.toThrow()
})

test('checks keys and projects that are created later', () => {
  const { world } = createServer()
  const permissions = ['projects-raed'] as unknown as ['projects-read']
  expect(() => world.createKey({ permissions })).toThrow('Invalid key: /permissions/0: expected one of')
  expect(() => world.createProject({ id: 'hp-1', name: 'P' })).toThrow('hp-1')
})

test('checks the options of listen()', async () => {
  const place = { prot: 4010 } as object
  await expect(createServer().listen(place)).rejects.toThrow('/prot: no such field (did you mean port?)')
})

function twice(item: object): Seed['projects'] {
  return [item, item] as Seed['projects']
}
