import { SvcError } from '@svc/client'
import { failureOf, reasonOf } from '@svc/client/node'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { connectionHint, lookFirst, stopped } from '../../report-error.js'
import { stores, type Typed } from './request.js'

/** What came back, whatever its status. */
export interface Answer {
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
  // The wire would read a refusal as JSON; this takes what came as it came.
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
  throw new Error('The wire gave no answer.')
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
      if (!stores(request)) throw new CliError(exit.refused, `${what}.`, { hint: 'ask for less, as with -F limit=20' })
      throw new CliError(exit.unknownWrite, `${what}; it is not known whether it was stored.`, { hint: lookFirst })
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The wire is typed by the paths of the interface; this command takes any. */
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
  if (stores(request) && failed === 'lost') {
    return new CliError(exit.unknownWrite, `${what}: ${why}; it is not known whether it was stored.`, {
      hint: lookFirst,
    })
  }
  return new CliError(failed === 'untrusted' ? exit.input : exit.temporary, `${what}: ${why}.`, {
    hint:
      connectionHint(code, proxy) ?? 'check the base URLs with `svc config list`, and the way there with `svc doctor`',
    cause: error,
  })
}
