import { goals } from './goals.js'
import { only, sideBySide } from './measure.js'
import { compareAbove, heading } from './page.js'
import { spend, writeProgram } from './programs.js'

/** Whole processes that import one thing, over those that import nothing. */
export async function benchImports(): Promise<void> {
  const esm = (name: string, code: string) => writeProgram(`import-${name}.mjs`, code)
  const programs: Record<string, string> = {
    'an empty module': esm('nothing', ''),
    '@svc/client': esm('client', "import '@svc/client'"),
    '@svc/client, require': writeProgram('import-client.cjs', "require('@svc/client')"),
    '@svc/client/node': esm('client-node', "import '@svc/client/node'"),
    'openapi-fetch': esm('openapi-fetch', "import 'openapi-fetch'"),
    ky: esm('ky', "import 'ky'"),
    stripe: esm('stripe', "import 'stripe'"),
    openai: esm('openai', "import 'openai'"),
  }
  const variants = Object.entries(programs).map(([name, path]) => [name, () => spend([path])] as const)
  const spent = await sideBySide(Object.fromEntries(variants), 21)
  const ours = Object.keys(programs).filter((name) => name.startsWith('@svc'))
  const goal = Object.fromEntries(ours.map((name) => [name, goals.importing]))
  heading('Import, by the wall', '21 rounds of whole processes; in brackets the quartiles')
  compareAbove(only(spent, 'wall'), 'an empty module', 'ms', goal)
  heading('Import, by the processor')
  compareAbove(only(spent, 'cpu'), 'an empty module', 'ms')
}
