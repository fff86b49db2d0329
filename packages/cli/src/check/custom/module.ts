import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CliError, exit } from '../../exit.js'
import type { CustomRules } from './rules.js'

/** A policy in TypeScript or JavaScript: what a JSON file could hold, and its functions. */
export interface CodePolicy {
  json: unknown
  rules: CustomRules
}

const hint = 'correct the file, name another one with --policy, or leave it out with --no-policy'

/**
 * Runs the file at an absolute path.
 *
 * @throws {CliError} if it throws, or does not export a policy
 */
export async function runCodePolicy(path: string, name: string): Promise<CodePolicy> {
  const { createJiti } = await import('jiti/static')
  // The package of the command may not be installed beside the policy, as with npx.
  const alias = { '@svc/cli/checks': ownModule() }
  const jiti = createJiti(path, { alias, fsCache: false, moduleCache: false, tryNative: false })
  const exported = await jiti.import(path, { default: true }).catch((cause: unknown) => {
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new CliError(exit.input, `${name}: the policy could not be run.`, { cause, details: [text], hint })
  })
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    throw new CliError(exit.input, `${name}: the policy exports no object.`, {
      hint: 'export it, as in `export default defineChecks({ failOn: "poor" })`',
    })
  }
  const { rules = {}, ...json } = exported as { rules?: unknown }
  return { json, rules: rulesOf(rules, name) }
}

function rulesOf(given: unknown, name: string): CustomRules {
  const wrong = (details: string[]) =>
    new CliError(exit.input, `${name}: the policy cannot be used.`, { details, hint })
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong(['/rules expected an object of functions by name'])
  const entries = Object.entries(given)
  const bad = entries.filter(([rule, run]) => rule.trim() === '' || typeof run !== 'function')
  if (bad.length > 0) throw wrong(bad.map(([rule]) => `/rules/${rule} expected a function`))
  return new Map(entries)
}

/** `@svc/cli/checks` of this package, built or in its source. */
function ownModule(): string {
  const built = fileURLToPath(new URL('./checks.js', import.meta.url))
  return existsSync(built) ? built : fileURLToPath(new URL('./checks.ts', import.meta.url))
}
