import { cut } from '../../text.js'
import { policyFlaws, type RightParts } from './policy-flaws.js'
import { type PolicyJson, policyShape } from './policy-shape.js'

export { namesInPolicy } from './policy-shape.js'

type Issues = readonly { code: string; path: readonly PropertyKey[]; message: string; keys?: readonly string[] }[]

/** Looks at a policy file for everything that is wrong with it at once, its shape and its sense. */
export const policyChecks = {
  safeParse(json: unknown): { success: true; data: PolicyJson } | { success: false; error: { issues: Issues } } {
    const other = ofAnotherKind(json)
    if (other) return { success: false, error: { issues: [other] } }
    const { success, data, error } = policyShape.safeParse(json)
    const wrong = error?.issues ?? []
    const flaws = policyFlaws(data ?? rightPartsOf(json, wrong)).map((flaw) => ({ code: 'custom', ...flaw }))
    const issues = [...wrong, ...flaws]
    return success && issues.length === 0 ? { success, data } : { success: false, error: { issues } }
  },
}

/** What says of itself that it is another document of `svc` is told so, and no more. */
function ofAnotherKind(json: unknown): Issues[number] | undefined {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined
  return typeof schema === 'string' && schema.startsWith('svc/')
    ? { code: 'custom', path: ['schema'], message: `expected a policy, found ${cut(schema, 60)}` }
    : undefined
}

/** What of a file has its right shape, so that its sense can be looked at, too. */
function rightPartsOf(json: unknown, issues: Issues): RightParts {
  if (issues.some(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys')) return {}
  const parts = { ...(json as Record<string, unknown>) }
  for (const {
    path: [key, at],
  } of issues) {
    const part = parts[String(key)]
    const isItem = (key === 'rates' || key === 'overrides') && typeof at === 'number' && Array.isArray(part)
    if (isItem) parts[key] = part.with(at, undefined)
    else if (key !== undefined) delete parts[String(key)]
    // Nobody knows what it is of.
    if (key === 'rates') delete parts.confidence
  }
  return parts
}
