import { errorKindOf, everyItem, ServiceError, type Surface, SvcError } from '@svc/client'
import { failureOf, reasonOf } from '@svc/client/node'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { bounds, isWritable, jsonOr, parseJson } from '../config/index.js'
import type { Context } from '../context.js'
import {
  connectionHint,
  describe,
  exitCodeFor,
  refuseMalformed,
  searchHint,
  stopped,
  writeLines,
  wrongItems,
} from '../errors/index.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { printJson } from '../output/index.js'
import { inert, inertJson, inertLines } from '../terminal/index.js'
import { type Action, examples, type SetAction } from './action.js'

export const api: Action<[string, string], ApiFlags> = async (context, [method, path], flags) => {
  const request = typedRequest(method, path, flags)
  if (flags.include && context.flags.json) {
    throw new CliError(exit.usage, '--include prints headers, which are not JSON.', {
      hint: 'omit --include, or omit --json and --fields',
    })
  }
  if (flags.paginate) return printPages(context, request)
  const body = flags.input === undefined ? request.body : await readBody(context, flags.input)
  const answer = await send(context, request, body)
  if (flags.include) printHead(context, answer)
  print(context, request, answer)
  return reportRefusal(context, request, answer)
}

const isRefused = ({ status }: Answer): boolean => status < 200 || status > 299

/** A refusal has none of the fields that an answer was to be cut down to. */
const whole = ({ select: _, ...context }: Context): Context => context

async function readBody({ io }: Context, path: string): Promise<string> {
  const bytes = await (path === '-' ? io.readStdin() : io.readFile(path)).catch((cause: unknown) => {
    io.stop.throwIfAborted()
    throw new CliError(exit.input, `${path}: cannot read the body.`, {
      cause,
      hint: 'use the path of a file, or -',
    })
  })
  return new TextDecoder().decode(bytes)
}

function printHead(context: Context, { status, headers }: Answer): void {
  const lines = headers.map(([name, value]) => `${inert(name)}: ${inert(value)}\n`)
  context.io.stdout.write(`HTTP ${status}\n${lines.join('')}\n`)
}

/** JSON as every command prints it, any other text as it is but for what could move the cursor. */
function print(context: Context, request: Typed, answer: Answer): void {
  const { text } = answer
  if (text === '') return
  const parsed = parseJson(text)
  if (parsed && isWritable(parsed.value)) return printValue(isRefused(answer) ? whole(context) : context, parsed.value)
  if (parsed && !isRefused(answer)) throw unwritable(request, answer)
  context.io.stdout.write(inertLines(text))
}

const unwritable = ({ method, path }: Typed, { status }: Answer): CliError =>
  new CliError(exit.refused, `${method} ${path}: ${status}, but the answer cannot be printed: expected ${bounds}.`, {
    hint: 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL: another server may have answered',
  })

function printValue(context: Context, value: unknown): void {
  if (typeof value === 'object' && value !== null) return printJson(context, value)
  context.io.stdout.write(`${inertJson(value)}\n`)
}

/** Print all items of a list as one array. A refusal is printed alone, unchanged. */
async function printPages(context: Context, request: Typed): Promise<ExitCode | undefined> {
  if (request.method !== 'GET') {
    throw new CliError(exit.usage, '--paginate requires GET.', { hint: 'omit --paginate, or use GET' })
  }
  if (request.query.has('page')) {
    throw new CliError(exit.usage, '--paginate fetches every page and cannot be used with a page number.', {
      hint: 'omit page or --paginate',
    })
  }
  const limit = Number(request.query.get('limit') ?? 100)
  let refused: Answer | undefined
  const fetchPage = async (page: number) => {
    const query = new URLSearchParams(request.query)
    query.set('page', String(page))
    query.set('limit', String(limit))
    const answer = await send(context, { ...request, query }, undefined)
    if (isRefused(answer)) {
      refused = answer
      throw refusalOf(request, answer)
    }
    const { value } = parseJson(answer.text) ?? {}
    if (!isWritable(value)) throw unwritable(request, answer)
    const body = value as { data?: unknown; pagination?: never } | null | undefined
    if (Array.isArray(body?.data)) {
      refuseMalformed(wrongItems(body.data, '/data', {}))
      return body as { data: object[] }
    }
    throw new CliError(exit.refused, `${request.path} is not a list of pages: the answer has no data array.`, {
      hint: 'omit --paginate',
    })
  }
  try {
    const items: object[] = []
    for await (const item of everyItem(fetchPage)) items.push(item)
    printValue(context, items)
    return undefined
  } catch (error) {
    if (!refused || !(error instanceof ServiceError)) throw error
    print(context, request, refused)
    return reportRefusal(context, request, refused)
  }
}

/** Says on stderr what a status means; what came is on stdout already, so that no second document follows it. */
function reportRefusal({ io }: Context, request: Typed, answer: Answer): ExitCode | undefined {
  if (!isRefused(answer)) return undefined
  const { status, headers } = answer
  const kind = errorKindOf(status)
  const what = `${request.method} ${request.path}: ${status}`
  if (kind === 'unavailable' && stores(request)) {
    writeLines(io, `${what}; it may be stored.`, [], searchHint)
    return exit.unknownWrite
  }
  const error = refusalOf(request, answer)
  const [, wait] = headers.find(([name]) => name === 'retry-after') ?? []
  const { message, hint } = describe(error)
  writeLines(io, message, wait === undefined ? [] : [`Retry-After: ${wait}`], hint)
  return exitCodeFor(error)
}

/** A refusal as an error of the client. */
function refusalOf({ surface, method, path }: Typed, { status, text }: Answer): ServiceError {
  const kind = errorKindOf(status)
  const context = { operation: 'api', surface, method, url: path, attempts: [] }
  return new ServiceError(`${method} ${path}: ${status} ${kind}.`, context, {
    status,
    kind,
    fields: [],
    body: jsonOr(text, text),
  })
}

/** An answer of any status. */
interface Answer {
  status: number
  headers: readonly (readonly [string, string])[]
  text: string
}

/** As long as the client's own verbs wait for an answer. */
const timeoutMs = (path: string) => (path === '/v1/annotations' ? 240_000 : 60_000)

/** Sends one request through the wire of its surface: with that surface's key, to its base URL, following nothing. */
export async function send(context: Context, request: Typed, body: string | undefined): Promise<Answer> {
  const { method, path, surface, headers } = request
  const query = request.query.toString()
  const { signal = context.io.signal, deadlineMs = Number.POSITIVE_INFINITY } = context.call()
  const ms = Math.min(context.flags.timeout ?? timeoutMs(path), deadlineMs)
  let answer: Answer | undefined
  // The transport would parse a refusal as JSON; the command needs the raw body.
  const onResponse = async ({ response }: { response: Response }) => {
    answer = { status: response.status, headers: [...response.headers], text: await textOf(response, request) }
    return new Response(null, { status: response.status })
  }
  const wire = (await context.client()).wires[surface] as unknown as Wire
  try {
    await wire.request(method, query ? `${path}?${query}` : path, {
      headers,
      ...(body !== undefined && { body, bodySerializer: (text: unknown) => text }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]),
      parseAs: 'stream',
      middleware: [{ onResponse }],
    })
  } catch (error) {
    throw failure(context, request, error, ms)
  }
  if (answer) return answer
  throw new Error('The transport returned no answer.')
}

/** As much as the client's own verbs read of an answer. */
const mostMebibytes = 64

async function textOf({ body }: Response, request: Typed): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostMebibytes * 2 ** 20) {
      const what = `${request.method} ${request.path}: the answer is larger than ${mostMebibytes} MiB`
      if (!stores(request)) throw new CliError(exit.refused, `${what}.`, { hint: 'request less, such as -F limit=20' })
      throw unknownWrite(what)
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The transport is typed by the paths of the interface; this command accepts any path. */
interface Wire {
  request(method: string, path: string, init: object): Promise<unknown>
}

/** Why no answer came, in the terms of everything else that is sent: a write may be stored unless nothing was reached. */
function failure(context: Context, request: Typed, error: unknown, ms: number): unknown {
  if (context.io.signal.aborted) return stores(request) ? stopped(context.io, error) : context.io.signal.reason
  const { name, proxy } = error as { name?: string; proxy?: string }
  if (error instanceof SvcError || error instanceof CliError) return error
  const code = reasonOf(error)
  const what = `${request.method} ${request.path}`
  const through = proxy ? ` through the proxy ${proxy}` : ''
  const why = name === 'TimeoutError' ? `no complete answer within ${ms} ms` : `no answer came${through} (${code})`
  const failed = failureOf(error)
  if (stores(request) && failed === 'lost') return unknownWrite(`${what}: ${why}`)
  return new CliError(failed === 'untrusted' ? exit.input : exit.temporary, `${what}: ${why}.`, {
    hint:
      connectionHint(code, proxy) ?? 'check the base URLs with `svc config list`, and the connection with `svc doctor`',
    cause: error,
  })
}

const unknownWrite = (what: string): CliError =>
  new CliError(exit.unknownWrite, `${what}; it may be stored.`, { hint: searchHint })

interface ApiFlags {
  rawField?: readonly (readonly [string, string])[]
  field?: readonly (readonly [string, string])[]
  input?: string
  header?: Record<string, string>
  include?: boolean
  paginate?: boolean
  surface?: Surface
}

/** A request as it was typed, before it has a body from a file. */
interface Typed {
  method: string
  /** With a slash in front, relative to the base URL of its surface. */
  path: string
  query: URLSearchParams
  surface: Surface
  headers: Record<string, string>
  /** The fields, where they are the body. */
  body: string | undefined
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ofAnnotation = /^\/(v1(\/|$)|health$|openapi|docs(\/|$))/

/** Build the request. Throws a usage error. */
function typedRequest(givenMethod: string, givenPath: string, flags: ApiFlags): Typed {
  const method = givenMethod.toUpperCase()
  if (!methods.includes(method)) {
    throw new CliError(exit.usage, `Unknown method ${givenMethod}.`, {
      hint: `svc api METHOD PATH, where the method is one of ${methods.join(', ')}`,
    })
  }
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(givenPath)) {
    throw new CliError(exit.usage, 'Expected a path, not a full URL: a key is sent to its own base URL only.', {
      hint: 'use the part after the base URL, such as /projects; `svc config list` shows the base URLs',
    })
  }
  const [beforeHash = ''] = givenPath.split('#')
  const at = beforeHash.indexOf('?')
  const bare = at < 0 ? beforeHash : beforeHash.slice(0, at)
  const path = bare.startsWith('/') ? bare : `/${bare}`
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(path) || /[\\{}\s]/.test(path)) {
    throw new CliError(exit.usage, `${JSON.stringify(givenPath)} is not a valid path.`, {
      hint: 'percent-encode special characters, and remove . and ..',
    })
  }
  const query = new URLSearchParams(at < 0 ? '' : beforeHash.slice(at + 1))
  const fields = [...(flags.rawField ?? []), ...(flags.field ?? [])]
  const inQuery = method === 'GET' || method === 'HEAD' || flags.input !== undefined
  if (inQuery) for (const [name, value] of fields) query.append(name, value)
  return {
    method,
    path,
    query,
    surface: flags.surface ?? (ofAnnotation.test(path) ? 'annotation' : 'workspace'),
    headers: flags.header ?? {},
    body: inQuery || fields.length === 0 ? undefined : bodyOf(flags),
  }
}

/** JSON is sent as it was typed, with every digit of its numbers. Of equal names, the last one. */
function bodyOf({ rawField = [], field = [] }: ApiFlags): string {
  const texts = rawField.map(([name, text]) => [name, JSON.stringify(text)] as const)
  const values = field.map(([name, text]) => [name, parseJson(text) ? text : JSON.stringify(text)] as const)
  const members = [...new Map([...texts, ...values])].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return `{${members.join(',')}}`
}

/** True if a request may store something, so that a lost answer leaves it unknown. An annotation is not stored. */
const stores = ({ method, path }: Pick<Typed, 'method' | 'path'>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && path !== '/v1/annotations'

export function apiCommand(command: Command, setAction: SetAction): void {
  command
    .option('-f, --raw-field <k=v>', 'add a text field to the query of a GET or to the JSON body; repeatable', pair)
    .option('-F, --field <k=v>', 'add a field; a value that is valid JSON is parsed; repeatable', pair)
    .addOption(new Option('--input <file>', 'file with the body, or - (stdin); fields then go into the query'))
    .option('-H, --header <name:value>', 'add a header; repeatable', header)
    .option('-i, --include', 'also print the status and the headers')
    .addOption(
      new Option('--paginate', 'fetch all pages of a list and print the items as one array').conflicts('include'),
    )
    .addOption(
      new Option('--surface <which>', 'surface to use (default: derived from the path)').choices([
        'annotation',
        'workspace',
      ]),
    )
    .addHelpText(
      'after',
      `
/v1/…, /health, /openapi… and /docs belong to the annotation surface, all other paths to the
workspace surface.
${examples(
  'svc api GET /health',
  'svc api GET /projects -F limit=5',
  'svc api GET "/projects/$SVC_PROJECT/transcripts" --paginate',
  'svc api POST /projects -f name=Support',
  'svc api POST /v1/annotations --input request.json',
)}`,
    )
  setAction(command, api)
}

/** `key=value`, gathered over repetitions in their order. */
function pair(
  text: string,
  gathered: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return [...gathered, [text.slice(0, at), text.slice(at + 1)]]
}

/** A header may be a secret, and an error of the parser would repeat it. */
function header(text: string, gathered: Record<string, string> = {}): Record<string, string> {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(text) ?? []
  if (name === '') throw new CliError(exit.usage, '--header expects name:value.')
  if (/^(authorization|proxy-authorization|cookie)$/i.test(name)) {
    throw new CliError(exit.usage, `--header cannot set ${name}: others can see a secret on a command line.`, {
      hint: 'set the key with `svc auth login` or SVC_API_KEY',
    })
  }
  if (/^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$/i.test(name)) {
    throw new CliError(exit.usage, `--header cannot set ${name}: svc sets it.`)
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())) {
    throw new CliError(
      exit.usage,
      `--header ${name}: the value has a line end or another character that no header can hold.`,
    )
  }
  return { ...gathered, [name.toLowerCase()]: value.trim() }
}
