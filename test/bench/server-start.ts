import { fileURLToPath } from 'node:url'
import { goals } from './goals.js'
import { median, only, quantile, sideBySide } from './measure.js'
import { compareAbove, heading, remark, row } from './page.js'
import { compiled, spend, writeProgram } from './programs.js'
import { prism, startServer } from './server-process.js'

const svc = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const nothing = 'an empty module'
const core = '@svc/reference-server/core'

/** From the start of a process to its first 200, and what the import of the server alone takes. */
export async function benchServerStart(): Promise<void> {
  const bare = await compiled('bare-server')
  const reference = await compiled('reference-server')
  const started = (argvOf: (port: number) => string[], path: string) => async () => {
    const server = await startServer(argvOf, path)
    await server.stop()
    return server.startedIn
  }
  const mock = prism('annotation')
  const startedIn = await sideBySide(
    {
      'bare node:http': started((port) => [bare, `${port}`], '/'),
      'reference server': started((port) => [reference, `${port}`], '/health'),
      'svc mock': started((port) => [svc, 'mock', '--quiet', '--port', `${port}`], '/health'),
      ...('missing' in mock ? {} : { 'Prism mock': started(mock, '/health') }),
    },
    9,
  )
  heading(
    'Start of a server',
    'by the wall, from the start of the process to its first 200; medians of 9, the quartiles',
  )
  for (const [name, ms] of Object.entries(startedIn)) {
    const note = `(${quantile(ms, 0.25).toFixed(0)}–${quantile(ms, 0.75).toFixed(0)})`
    const ours = name === 'reference server' || name === 'svc mock'
    row(name, median(ms), 'ms', { note, ...(ours && { goal: goals.serverStart }) })
  }
  if ('missing' in mock) remark(`Prism mock: not measured, ${mock.missing}`)

  const programs = {
    [nothing]: writeProgram('import-nothing.mjs', ''),
    [core]: writeProgram('import-server-core.mjs', `import '${core}'`),
    '@svc/reference-server, with MSW': writeProgram('import-server.mjs', "import '@svc/reference-server'"),
  }
  const variants = Object.entries(programs).map(([name, path]) => [name, () => spend([path])] as const)
  const spent = await sideBySide(Object.fromEntries(variants), 15)
  heading('Import of the reference server, by the wall', '15 rounds of whole processes; in brackets the quartiles')
  compareAbove(only(spent, 'wall'), nothing, 'ms')
}
