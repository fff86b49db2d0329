import { goals } from './goals.js'
import { only, type Samples, sideBySide } from './measure.js'
import { compareAbove, heading } from './page.js'
import { spend, writeProgram } from './programs.js'

/** Whole processes that import one thing, over those that import nothing; each kind of module over its own. */
export async function benchImports(): Promise<void> {
  const esm = (name: string, code: string) => writeProgram(`import-${name}.mjs`, code)
  const imported: Record<string, string> = {
    [nothing]: esm('nothing', ''),
    '@svc/client': esm('client', "import '@svc/client'"),
    '@svc/client/node': esm('client-node', "import '@svc/client/node'"),
    'openapi-fetch': esm('openapi-fetch', "import 'openapi-fetch'"),
    ky: esm('ky', "import 'ky'"),
    stripe: esm('stripe', "import 'stripe'"),
    openai: esm('openai', "import 'openai'"),
  }
  const required: Record<string, string> = {
    [nothingRequired]: writeProgram('require-nothing.cjs', ''),
    "require('@svc/client')": writeProgram('require-client.cjs', "require('@svc/client')"),
  }
  const programs = { ...imported, ...required }
  const variants = Object.entries(programs).map(([name, path]) => [name, () => spend([path])] as const)
  const spent = await sideBySide(Object.fromEntries(variants), 21)

  const goal = Object.fromEntries(
    Object.keys(programs)
      .filter((name) => name.includes('@svc'))
      .map((name) => [name, goals.importing]),
  )
  const those = (samples: Samples, names: Record<string, string>): Samples =>
    Object.fromEntries(Object.entries(samples).filter(([name]) => name in names))
  const wall = only(spent, 'wall')
  const cpu = only(spent, 'cpu')
  heading('Import, by the wall', '21 rounds of whole processes; in brackets the quartiles')
  compareAbove(those(wall, imported), nothing, 'ms', goal)
  compareAbove(those(wall, required), nothingRequired, 'ms', goal)
  heading('Import, by the processor')
  compareAbove(those(cpu, imported), nothing, 'ms')
  compareAbove(those(cpu, required), nothingRequired, 'ms')
}

const nothing = 'an empty module'
const nothingRequired = 'an empty CommonJS module'
