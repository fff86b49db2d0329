import { createServer, referenceKey } from '@svc/reference-server/core'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit, exitCodeFor } from '../../exit.js'
import { printJson } from '../../output.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'
import { runChild } from './child.js'
import { makeHome } from './home.js'

export interface MockFlags {
  port?: number
}

export const mock: Work<[string[]], MockFlags> = async (context, [command], flags) => {
  const onError = (error: unknown) => context.io.stderr.write(`svc mock: ${inert(String(error))}\n`)
  const server = createServer({ onError })
  const project = server.world.createProject({ name: 'Mock project' })
  const listening = await server.listen({ port: flags.port ?? 0 }).catch((cause: unknown) => {
    throw new CliError(exit.input, `Port ${flags.port} cannot be listened on.`, {
      hint: 'leave --port out for a free one',
      cause,
    })
  })
  try {
    const home = await makeHome(context.io.self)
    const variables = {
      SVC_API_KEY: referenceKey,
      SVC_ANNOTATION_API_KEY: referenceKey,
      SVC_WORKSPACE_API_KEY: referenceKey,
      SVC_BASE_URL: listening.baseUrl,
      SVC_PUBLIC_BASE_URL: listening.publicBaseUrl,
      SVC_PROJECT: project.record.id,
      ...home.variables,
    }
    try {
      if (command.length === 0) return await serve(context, variables)
      const path = [home.bin, context.io.env.PATH].filter(Boolean).join(home.pathSeparator)
      return await runChild(context.io, command, { ...context.io.env, ...variables, PATH: path })
    } finally {
      await home.remove()
    }
  } finally {
    await listening.close()
  }
}

/** Says where it serves, in a form that a shell can take over, and waits to be stopped. */
async function serve(context: Context, variables: Record<string, string>): Promise<ExitCode> {
  const { io, flags } = context
  if (flags.json) printJson(context, variables)
  else
    io.stdout.write(
      Object.entries(variables)
        .map(([name, value]) => `export ${name}='${value}'\n`)
        .join(''),
    )
  context.say('serving both surfaces; Ctrl-C stops')
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener('abort', resolve, { once: true }))
  return exitCodeFor(io.signal.reason)
}
