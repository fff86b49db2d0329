import {
  createServer,
  type Listening,
  type ReferenceServer,
  referenceKey,
  type ServerOptions,
} from '@svc/reference-server/core'
import type { Context } from '../../context.js'
import { exitCodeFor } from '../../errors/index.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'
import { documentOf, printJson } from '../../output/index.js'
import { inert } from '../../terminal/index.js'
import type { Work } from '../act.js'
import { runChild } from './child.js'
import { makeHome, quoted } from './home.js'
import { type MockFlags, mainKey, serverOptions } from './options.js'

type Variables = Record<string, string>

export const mock: Work<[string[]], MockFlags> = async (context, [command], flags) => {
  const token = crypto.randomUUID()
  const server = made(await serverOptions(context, flags, token))
  try {
    if (flags.seed && server.restored) context.say('The folder holds a world already; the seed is left alone.')
    const listening = await listen(server, flags)
    try {
      const steering = { SVC_CONTROL_URL: `${listening.baseUrl}/_svc/`, SVC_CONTROL_TOKEN: token }
      const variables = { ...variablesOf(server, listening), ...(flags.control && steering) }
      return await inHome(context, command, variables, flags.data)
    } finally {
      await listening.close({ graceMs: 5_000 })
    }
  } finally {
    server.close()
  }
}

/** A seed may say what cannot be, such as one id twice, and a world that is kept may be of another making. */
function made(options: ServerOptions): ReferenceServer {
  try {
    return createServer(options)
  } catch (cause) {
    options.store?.close()
    throw new CliError(exit.input, `The server cannot start: ${inert((cause as Error).message)}`, { cause })
  }
}

function listen(server: ReferenceServer, { port = 0, host }: MockFlags): Promise<Listening> {
  return server.listen({ port, ...(host && { host }) }).catch((cause: NodeJS.ErrnoException) => {
    const hint = cause.code === 'EADDRINUSE' ? 'leave --port out for a free one' : 'give an address of this machine'
    throw new CliError(exit.input, cause.message, { hint, cause })
  })
}

function variablesOf({ world }: ReferenceServer, { baseUrl, publicBaseUrl }: Listening): Variables {
  // A world that was kept may have lost what the seed gave it.
  const { key, workspace } = mainKey(world.keys()) ?? world.createKey({ key: referenceKey })
  const project = world.projects(workspace).at(-1) ?? world.createProject({ workspace, name: 'Mock project' })
  return {
    SVC_API_KEY: key,
    SVC_ANNOTATION_API_KEY: key,
    SVC_WORKSPACE_API_KEY: key,
    SVC_BASE_URL: baseUrl,
    SVC_PUBLIC_BASE_URL: publicBaseUrl,
    SVC_PROJECT: project.record.id,
  }
}

async function inHome(context: Context, command: string[], given: Variables, data: string | undefined) {
  const { io } = context
  const home = await makeHome(io.self, data === undefined ? undefined : io.resolve(data))
  const variables = { ...given, ...home.variables }
  try {
    if (command.length === 0) return await serve(context, variables)
    const path = [home.bin, io.env.PATH].filter(Boolean).join(home.pathSeparator)
    return await runChild(io, command, { ...io.env, ...variables, ...withoutProxy(io.env), PATH: path })
  } finally {
    await home.remove()
  }
}

/** This machine, and the hosts that either variable names, under both names: some programs read one, some the other. */
function withoutProxy({ NO_PROXY = '', no_proxy = '' }: Io['env']): Variables {
  const named = `${NO_PROXY} ${no_proxy}`.split(/[\s,]+/).filter(Boolean)
  const hosts = new Set(['localhost', '127.0.0.1', '::1', ...named])
  // Most programs understand the asterisk only where it stands alone.
  const value = hosts.has('*') ? '*' : [...hosts].join(',')
  return { NO_PROXY: value, no_proxy: value }
}

/** Says where it serves, in a form that a shell can take over, and waits to be stopped. */
async function serve(context: Context, variables: Variables): Promise<ExitCode> {
  const { io, flags } = context
  // It is printed to be used, also where the environment has it already.
  context.keys.delete(variables.SVC_API_KEY ?? '')
  if (flags.json) printJson(context, documentOf('svc/mock@1', variables))
  else
    io.stdout.write(
      Object.entries(variables)
        .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
        .join(''),
    )
  context.say(`serving both surfaces, described at ${variables.SVC_BASE_URL}/docs; Ctrl-C stops`)
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener('abort', resolve, { once: true }))
  return exitCodeFor(io.signal.reason)
}
