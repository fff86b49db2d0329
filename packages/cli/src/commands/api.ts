import { AmbiguousWriteError, errorKindOf, everyItem, ServiceError, type Surface } from '@svc/client'
import { escapeJson, escapeLine, escapeLines, isWritable, jsonBounds, parseJson } from '@svc/text'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Context } from '../context.js'
import { describe, exitCodeFor, refuseMalformed, reportError, searchHint, writeLines, wrongItems } from '../errors.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { printJson } from '../output/index.js'
import { type Action, examples, offer, type SetAction } from './action.js'

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
  const lines = headers.map(([name, value]) => `${escapeLine(name)}: ${escapeLine(value)}\n`)
  context.io.stdout.write(`HTTP ${status}\n${lines.join('')}\n`)
}

/** JSON as every command prints it, any other text as it is but for what could move the cursor. */
function print(context: Context, request: Typed, answer: Answer): void {
  const { text } = answer
  if (text === '') return
  const parsed = parseJson(text)
  if (parsed && isWritable(parsed.value)) return printValue(isRefused(answer) ? whole(context) : context, parsed.value)
  if (parsed && !isRefused(answer)) throw unwritable(request, answer)
  context.io.stdout.write(escapeLines(text))
}

const unwritable = ({ method, path }: Typed, { status }: Answer): CliError =>
  new CliError(
    exit.refused,
    `${method} ${path}: ${status}, but the answer cannot be printed: expected ${jsonBounds}.`,
    {
      hint: 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL: another server may have answered',
    },
  )

function printValue(context: Context, value: unknown): void {
  if (typeof value === 'object' && value !== null) return printJson(context, value)
  context.io.stdout.write(`${escapeJson(value)}\n`)
}

/** Print all items of a list as one array, also if the service does not give it whole. A refusal is printed alone, unchanged. */
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
  const items: object[] = []
  try {
    for await (const item of everyItem(fetchPage, { limit })) items.push(item)
    printValue(context, items)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.incomplete) {
      printValue(context, items)
      const code = exitCodeFor(error)
      reportError(context.io, error, code, { json: false })
      return code
    }
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

function refusalOf({ surface, method, path }: Typed, { status, text }: Answer): ServiceError {
  const kind = errorKindOf(status)
  const parsed = parseJson(text)
  const context = { operation: 'api', surface, method, url: path, attempts: [] }
  return new ServiceError(`${method} ${path}: ${status} ${kind}.`, context, {
    status,
    kind,
    fields: [],
    body: parsed && isWritable(parsed.value) ? parsed.value : text,
  })
}

type Answer = Awaited<ReturnType<typeof send>>

/** As long as the client's own verbs wait for an answer. */
const timeoutMs = (path: string) => (path === '/v1/annotations' ? 240_000 : 60_000)

export async function send(context: Context, request: Typed, json: string | undefined) {
  const { method, path, surface, headers, query } = request
  const client = await context.client()
  const options = {
    ...context.call(),
    headers,
    retry: false,
    throwOnError: false,
    timeoutMs: context.flags.timeout ?? timeoutMs(path),
  } as const
  try {
    const { response } = await client.request(surface, method, path, { query, json }, options).withResponse()
    return { status: response.status, headers: [...response.headers], text: await response.text() }
  } catch (error) {
    // An annotation is not stored.
    throw error instanceof AmbiguousWriteError && !stores(request) ? error.cause : error
  }
}

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
  offer(command, methods)
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
