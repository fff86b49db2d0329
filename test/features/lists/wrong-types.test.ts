import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { specs } from '../../helpers/conformance.js'
import { isLong } from '../../helpers/long.js'
import { type CliResult, createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'
import { createUploads } from '../upload/uploads-kit.js'

/** Values for a field of another type; the text moves the cursor and begins a line of its own. */
const wrong: [string, unknown][] = [
  ['null', null],
  ['a text', 'x\u001b[2J\nFORGED'],
  ['a number', 7],
  ['a list', [{ id: 1 }, null]],
  ['an object', { id: ['\u001b[2J'] }],
]

/** Those with text in them, which is printed as it came with --json. */
const textual = ['a text', 'an object']

/** Each field gets a value with text or one without, in turn; in the long form it gets all. */
function inTurn(index: number): typeof wrong {
  const values = wrong.filter(([kind]) => textual.includes(kind) === (index % 2 === 0))
  return values.slice((index >> 1) % values.length).slice(0, 1)
}

const conversation = [
  { role: 'user', content: 'Where is my order? I have asked three times now.' },
  { role: 'assistant', content: 'I cannot help with that.' },
]

type Node = Record<string, unknown> & {
  $ref?: string
  allOf?: Node[]
  properties?: Record<string, Node>
  items?: Node
  additionalProperties?: Node | boolean
}

/** The paths of all fields that the spec declares in the success of an operation: `0` stands for each item of a list. */
function declaredIn(id: string): string[][] {
  for (const spec of Object.values(specs) as unknown as Node[]) {
    for (const item of Object.values(spec.paths as Record<string, Record<string, Node>>)) {
      for (const operation of Object.values(item)) {
        if (operation?.operationId !== id) continue
        const { responses } = operation as unknown as { responses: Record<string, never> }
        const { content } = (responses['200'] ?? responses['201']) as unknown as { content: Record<string, Node> }
        return pathsIn(spec, (content['application/json'] as { schema: Node }).schema, [])
      }
    }
  }
  throw new Error(`${id} is not in the spec`)
}

function pathsIn(spec: Node, node: Node, path: string[]): string[][] {
  if (node.$ref) {
    const steps = node.$ref.split('/').slice(1)
    return pathsIn(spec, steps.reduce<unknown>((at, step) => (at as Node)[step], spec) as Node, path)
  }
  const below = [
    ...Object.entries(node.properties ?? {}),
    ...(node.items ? [['0', node.items] as const] : []),
    ...(typeof node.additionalProperties === 'object' ? [['KEY', node.additionalProperties] as const] : []),
  ]
  return [
    ...(path.length > 0 ? [path] : []),
    ...(node.allOf ?? []).flatMap((each) => pathsIn(spec, each, path).filter(({ length }) => length > path.length)),
    ...below.flatMap(([step, each]) => pathsIn(spec, each, [...path, step])),
  ]
}

/** The paths of the fields that an answer has, of each list the first item. */
function foundIn(value: unknown, path: string[] = []): string[][] {
  const own = path.length > 0 ? [path] : []
  if (typeof value !== 'object' || value === null) return own
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined)
  return [...own, ...entries.flatMap(([step, each]) => foundIn(each, [...path, step]))]
}

/** A copy of an answer with another value at a path. */
function changed(answer: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(answer)
  let at = copy as Record<string, unknown>
  for (const step of path.slice(0, -1)) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = {}
    at = at[step] as Record<string, unknown>
  }
  at[path.at(-1) as string] = value
  return copy
}

const operations: [string, string, RegExp][] = [
  ['health', 'GET', /\/health$/],
  ['annotations.create', 'POST', /\/v1\/annotations$/],
  ['annotators.list', 'GET', /\/v1\/annotators$/],
  ['projects.create', 'POST', /\/projects$/],
  ['projects.list', 'GET', /\/projects$/],
  ['projects.get', 'GET', /\/projects\/[^/]+$/],
  ['transcripts.upload', 'POST', /\/projects\/[^/]+\/transcripts$/],
  ['transcripts.list', 'GET', /\/projects\/[^/]+\/transcripts$/],
  ['transcripts.get', 'GET', /\/transcripts\/[^/]+$/],
]

const operationOf = ({ method, url }: Request): string | undefined =>
  operations.find(([, of, path]) => of === method && path.test(new URL(url).pathname))?.[0]

/** Each command that reads an answer, and the operations whose answers it reads. */
const commands: [string, string[], string[]][] = [
  ['health', ['health'], ['health']],
  ['doctor', ['doctor'], ['health', 'projects.list']],
  ['auth status', ['auth', 'status'], ['projects.list']],
  ['auth login', ['auth', 'login', '--force', '--profile', 'p'], ['projects.list']],
  ['annotators list', ['annotators', 'list'], ['annotators.list']],
  ['projects list', ['projects', 'list'], ['projects.list']],
  ['projects list --all', ['projects', 'list', '--all'], ['projects.list']],
  ['projects get', ['projects', 'get', 'PROJECT'], ['projects.get']],
  ['projects get of none', ['projects', 'get', 'hp-none'], ['projects.list']],
  ['projects create', ['projects', 'create', '--name', 'P'], ['projects.create']],
  ['transcripts list', ['transcripts', 'list'], ['transcripts.list']],
  ['transcripts list --all', ['transcripts', 'list', '--all'], ['transcripts.list']],
  ['transcripts get', ['transcripts', 'get', 'TRANSCRIPT'], ['transcripts.get']],
  ['upload', ['upload', 'a.json'], ['transcripts.upload']],
  ['upload of many', ['upload', 'many.jsonl', '-j', '1'], ['transcripts.upload']],
  ['uploads reconcile', ['uploads', 'reconcile'], ['transcripts.list', 'transcripts.get']],
  ['uploads rebuild', ['uploads', 'rebuild'], ['transcripts.list', 'transcripts.get']],
  ['annotate', ['annotate', 'a.json', '--annotator', 'structural'], ['annotations.create']],
  ['annotate with none', ['annotate', 'a.json', '--annotator', 'none'], ['annotators.list']],
  ['check', ['check', 'a.json', '--annotator', 'structural'], ['annotations.create', 'annotators.list']],
  ['check with none', ['check', 'a.json', '--annotator', 'none'], ['annotators.list']],
  ['api', ['api', 'GET', '/projects'], ['projects.list']],
  ['api --paginate', ['api', 'GET', '/projects', '--paginate'], ['projects.list']],
]

/** Another value at the path of a field in the answers of an operation; with an empty path they stay as they are. */
interface Change {
  id: string
  path: readonly string[]
  value?: unknown
}

/** A world in which a command can be run often, each time with other answers and an account of uploads of its own. */
async function world() {
  const uploads = await createUploads()
  await uploads.send('a', await uploads.intend('a'))
  const unstamped = await uploads.intend('b', { stamped: false, externalId: 'b' })
  const transcript = await uploads.send('b', unstamped)
  await uploads.ledger.release()
  const { clock, fetch, target, folder } = uploads
  let change: Change | undefined
  const answers = new Map<string, unknown>()
  const changing: RequestHandler = async (request) => {
    const id = operationOf(request)
    const response = await fetch(request)
    if (id === undefined || !response.ok) return response
    const answer = (await response.json()) as { data: { metadata?: unknown }[] }
    // Each record is read singly where the list does not show enough of it.
    if (change?.id === 'transcripts.get' && id === 'transcripts.list')
      for (const row of answer.data) delete row.metadata
    answers.set(id, answer)
    const isFirstPage = !/[?&]page=(?!1&)/.test(request.url)
    const isChanged = change?.id === id && change.path.length > 0 && isFirstPage
    const { status, headers } = response
    const body = isChanged ? changed(answer, change?.path ?? [], change?.value) : answer
    return Response.json(body, { status, headers: { date: headers.get('date') ?? '' } })
  }
  const { svc, cwd } = createShell({ ...uploads, fetch: changing })
  const words: Record<string, string> = { PROJECT: target.project, TRANSCRIPT: transcript }
  const many = [conversation, conversation].map((turns) => JSON.stringify({ messages: turns })).join('\n')
  for (const [name, text] of Object.entries({ 'a.json': JSON.stringify(conversation), 'many.jsonl': many })) {
    writeFileSync(join(cwd, name), text)
  }
  let runs = 0
  async function run(
    argv: readonly string[],
    given: Change,
  ): Promise<CliResult & { listed: () => Promise<CliResult> }> {
    change = given
    const state = join(cwd, `state-${runs++}`)
    if (argv[1] === 'reconcile') cpSync(folder, join(state, 'uploads'), { recursive: true })
    const env = {
      ...{ SVC_PROJECT: target.project, SVC_STATE_DIR: state, SVC_CONFIG: join(state, 'c.json') },
      ...{ SVC_CACHE_DIR: state, SVC_ANNOTATION_API_KEY: undefined },
    }
    const io = { lookup: async () => ['192.0.2.1'], tls: async () => Promise.reject(new Error('none')) }
    const of = (words_: readonly string[]) =>
      svc(
        words_.map((word) => words[word] ?? word),
        { env, io, stdin: referenceKey },
      )
    const result = argv[1] === 'reconcile' ? await clock.until(of(argv)) : await of(argv)
    return { ...result, listed: () => of(['uploads', 'list']) }
  }
  return { run, answers }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const powerful = /[\0-\u0008\u000b-\u001f\u007f-\u009f]|^FORGED/m

/** Finds failures that no answer may cause: an unexpected error, a stack trace, or output that moves the cursor. */
function problemOf({ code, out, err }: CliResult): string | undefined {
  const found = powerful.exec(out + err)
  if (found) return `writes ${JSON.stringify((out + err).slice(Math.max(0, found.index - 60), found.index + 20))}`
  return code === 1 || /^\s+at /m.test(err) ? `exit ${code}: ${err.slice(0, 300)}` : undefined
}

/** Text and JSON for a value that may hold control characters; a command that waits for the disk, and the short form, one of them. */
function flagsFor(kind: string, isSlow: boolean): string[][] {
  if (!textual.includes(kind)) return [[]]
  return isLong && !isSlow ? [[], ['--json']] : [kind === 'a text' ? [] : ['--json']]
}

describe('answers with a field of a wrong type', () => {
  it.each(commands)('end svc %s with neither a bug nor control characters', async (_, argv, ids) => {
    const { run, answers } = await world()
    // Those that keep an account wait for the disk each time.
    const isSlow = /^uploads?$/.test(argv[0] ?? '')
    const problems: string[] = []
    for (const id of ids) {
      expect(problemOf(await run(argv, { id, path: [] }))).toBeUndefined()
      const answer = answers.get(id)
      expect(answer, `${id} is asked`).toBeDefined()
      const paths = new Map([...foundIn(answer), ...declaredIn(id)].map((path) => [path.join('/'), path]))
      for (const [index, [name, path]] of [...paths].entries()) {
        for (const [kind, value] of isLong ? wrong : inTurn(index)) {
          const isTextual = textual.includes(kind)
          if (isSlow && !isTextual) continue
          for (const flags of flagsFor(kind, isSlow)) {
            const result = await run([...argv, ...flags], { id, path, value })
            const problem = problemOf(result) ?? (isSlow ? problemOf(await result.listed()) : undefined)
            if (problem) problems.push(`${[...argv, ...flags].join(' ')}, ${id} /${name} is ${kind}: ${problem}`)
          }
        }
      }
    }
    expect(problems).toEqual([])
  })

  it.each<[string[], string, string, unknown, RegExp]>([
    [['health'], 'health', 'status', null, /\/status expected a text, found null/],
    [['annotators', 'list'], 'annotators.list', 'annotators', {}, /\/annotators expected a list, found an object/],
    [
      ['annotators', 'list'],
      'annotators.list',
      'annotators/0/id',
      7,
      /\/annotators\/0\/id expected a text, found a number/,
    ],
    [['projects', 'list'], 'projects.list', 'data', 'x', /\/data expected a list, found a text/],
    [['projects', 'list'], 'projects.list', 'data/0', null, /\/data\/0 expected an object, found null/],
    [['projects', 'list'], 'projects.list', 'data/0/id', null, /\/data\/0\/id expected a text, found null/],
    [['projects', 'get', 'PROJECT'], 'projects.get', 'data/id', [], /\/data\/id expected a text, found a list/],
    [
      ['transcripts', 'get', 'TRANSCRIPT'],
      'transcripts.get',
      'data/turns',
      'x',
      /\/data\/turns expected a list, found a text/,
    ],
    [['uploads', 'reconcile'], 'transcripts.list', 'data/0/id', {}, /\/data\/0\/id expected a text, found an object/],
    [['uploads', 'rebuild'], 'transcripts.list', 'data/0/id', 7, /\/data\/0\/id expected a text, found a number/],
    [
      ['api', 'GET', '/projects', '--paginate'],
      'projects.list',
      'data/0',
      null,
      /\/data\/0 expected an object, found null/,
    ],
    [
      ['annotate', 'a.json', '--annotator', 'structural'],
      'annotations.create',
      'outcome',
      7,
      /\/outcome expected a text, found a number/,
    ],
  ])('svc %j ends with 6 and names the field %s /%s', async (argv, id, path, value, named) => {
    const { run } = await world()
    const { code, err } = await run(argv, { id, path: path.split('/'), value })
    expect([code, err]).toEqual([6, expect.stringMatching(named)])
    const inJson = await run([...argv, '--json'], { id, path: path.split('/'), value })
    // A document holds records as they came.
    if (inJson.code !== 0) expect([inJson.code, inJson.out + inJson.err]).toEqual([6, expect.stringMatching(named)])
  })

  it('answers with a field of a wrong type are not judged by svc check, and leave an annotator of the registry alone', async () => {
    const { run } = await world()
    const check = ['check', 'a.json', '--annotator', 'structural']
    const unjudged = await run(check, { id: 'annotations.create', path: ['signals'], value: 7 })
    expect([unjudged.code, unjudged.out]).toEqual([
      101,
      expect.stringContaining('/signals expected an object, found a number'),
    ])
    for (const path of ['annotators/0/id', 'annotators/0/annotator_version']) {
      const { code, err } = await run([...check, '--fail-on', 'none'], {
        id: 'annotators.list',
        path: path.split('/'),
        value: 7,
      })
      expect([code, err]).toEqual([0, expect.any(String)])
    }
  })

  it.each([
    ['projects', 'pagination/total', '2'],
    ['transcripts', 'pagination', []],
  ])('do not keep svc %s list from printing the rows if %s is %j', async (of, path, value) => {
    const { run } = await world()
    const { code, err } = await run([of, 'list'], { id: `${of}.list`, path: path.split('/'), value })
    expect([code, err]).toEqual([0, expect.stringContaining('more may follow')])
  })

  it('do not keep an upload from being done, nor one that was stored from being found', async () => {
    const { run } = await world()
    for (const field of ['name', 'turn_count', 'processing_status', 'metadata', 'created_at']) {
      const upload = await run(['upload', 'a.json', '--json'], {
        id: 'transcripts.upload',
        path: ['data', field],
        value: [],
      })
      expect([field, upload.code, upload.json().result]).toEqual([field, 0, 'uploaded'])
      const { code, err } = await run(['uploads', 'reconcile'], {
        id: 'transcripts.list',
        path: ['data', '1', field],
        value: 7,
      })
      expect([field, code, err.includes(' 0 not stored')]).toEqual([field, expect.any(Number), true])
    }
  })
})
