import { errorKindOf, everyItem, ServiceError } from '@svc/client'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { refuseMalformed, wrongItems } from '../../malformed-answer.js'
import { printJson } from '../../output.js'
import { describe, exitCodeFor, lookFirst, tellLines } from '../../report-error.js'
import { inert, inertJson, inertLines } from '../../text.js'
import type { Work } from '../act.js'
import { type ApiFlags, stores, type Typed, typedRequest } from './request.js'
import { type Answer, send } from './send.js'

export const api: Work<[string, string], ApiFlags> = async (context, [method, path], flags) => {
  const request = typedRequest(method, path, flags)
  if (flags.include && context.flags.json) {
    throw new CliError(exit.usage, '--include prints headers, and they are no JSON.', {
      hint: 'leave it out, or leave --json and --fields out',
    })
  }
  if (flags.paginate) return printPages(context, request)
  const body = flags.input === undefined ? request.body : await readBody(context, flags.input)
  const answer = await send(context, request, body)
  if (flags.include) printHead(context, answer)
  print(isRefused(answer) ? whole(context) : context, answer.text)
  return tellRefusal(context, request, answer)
}

const isRefused = ({ status }: Answer): boolean => status < 200 || status > 299

/** A refusal has none of the fields that an answer was to be cut down to. */
const whole = ({ select: _, ...context }: Context): Context => context

async function readBody({ io }: Context, path: string): Promise<string> {
  const bytes = await (path === '-' ? io.readStdin() : io.readFile(path)).catch((cause: unknown) => {
    io.signal.throwIfAborted()
    throw new CliError(exit.input, `${path}: the body cannot be read.`, {
      cause,
      hint: 'give the path of a file, or -',
    })
  })
  return new TextDecoder().decode(bytes)
}

function printHead(context: Context, { status, headers }: Answer): void {
  const lines = headers.map(([name, value]) => `${inert(name)}: ${inert(value)}\n`)
  context.io.stdout.write(`HTTP ${status}\n${lines.join('')}\n`)
}

/** JSON as every command prints it, any other text as it is but for what could move the cursor. */
function print(context: Context, text: string): void {
  if (text === '') return
  const value = jsonIn(text)
  if (value === undefined) context.io.stdout.write(inertLines(text))
  else printValue(context, value)
}

function printValue(context: Context, value: unknown): void {
  if (typeof value === 'object' && value !== null) return printJson(context, value)
  context.io.stdout.write(`${inertJson(value)}\n`)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** All items of a list in one array; a refusal is printed as it came, with the items before it left out. */
async function printPages(context: Context, request: Typed): Promise<ExitCode | undefined> {
  if (request.method !== 'GET') {
    throw new CliError(exit.usage, '--paginate is for GET.', { hint: 'leave it out, or list with GET' })
  }
  if (request.query.has('page')) {
    throw new CliError(exit.usage, '--paginate fetches every page, and one is named.', {
      hint: 'leave page or --paginate out',
    })
  }
  const limit = Number(request.query.get('limit') ?? 100)
  const fetchPage = async (page: number) => {
    const query = new URLSearchParams(request.query)
    query.set('page', String(page))
    query.set('limit', String(limit))
    const answer = await send(context, { ...request, query }, undefined)
    if (isRefused(answer)) throw new Refused(answer)
    const body = jsonIn(answer.text) as { data?: unknown; pagination?: never } | undefined
    if (Array.isArray(body?.data)) {
      refuseMalformed(wrongItems(body.data, '/data', {}))
      return body as { data: object[] }
    }
    throw new CliError(exit.refused, `${request.path} is not a list of pages: it answers without a data array.`, {
      hint: 'leave --paginate out',
    })
  }
  try {
    const items: object[] = []
    for await (const item of everyItem(fetchPage, limit)) items.push(item)
    printValue(context, items)
    return undefined
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    print(whole(context), error.answer.text)
    return tellRefusal(context, request, error.answer)
  }
}

class Refused extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super('refused')
    this.answer = answer
  }
}

/** Says on stderr what a status means; what came is on stdout already, so that no second document follows it. */
function tellRefusal({ io }: Context, request: Typed, answer: Answer): ExitCode | undefined {
  if (!isRefused(answer)) return undefined
  const { status, headers } = answer
  const kind = errorKindOf(status)
  const what = `${request.method} ${request.path}: ${status}`
  if (kind === 'unavailable' && stores(request)) {
    tellLines(io, `${what}; it is not known whether it was stored.`, [], lookFirst)
    return exit.unknownWrite
  }
  const context = {
    operation: 'api',
    surface: request.surface,
    method: request.method,
    url: request.path,
    attempts: [],
  }
  const error = new ServiceError(`${what} ${kind}.`, context, { status, kind, fields: [], body: undefined })
  const [, wait] = headers.find(([name]) => name === 'retry-after') ?? []
  const { message, hint } = describe(error)
  tellLines(io, message, wait === undefined ? [] : [`Retry-After: ${wait}`], hint)
  return exitCodeFor(error)
}
