import { pointerOf } from '@svc/text'
import { notPlain, plainData } from '../plain-data.js'
import type { CheckRule } from './checks.js'

/** A policy in code: the data that a JSON file could hold, and its functions by name; or the place of each problem. */
export type PolicyData =
  | { json: Record<string, unknown>; rules: ReadonlyMap<string, CheckRule> }
  | { problems: readonly string[] }

const isRule = (path: readonly string[], value: unknown) =>
  path.length === 2 && path[0] === 'rules' && typeof value === 'function'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isArray(value)

// The code of the policy may replace these.
const { isArray } = Array
const { keys } = Object

/** Copy a policy in code. Only `rules` may hold functions, and nothing else. */
export function policyData(given: unknown): PolicyData {
  const data = plainData(given, isRule)
  if ('problems' in data) return data
  if (!isObject(data.value))
    return { problems: ['expected an object, as in `export default defineChecks({ failOn: "poor" })`'] }
  const { rules = {}, ...json } = data.value
  if (!isObject(rules)) return { problems: ['/rules expected an object of functions by name'] }
  const problems: string[] = []
  const byName = new Map<string, CheckRule>()
  const names = keys(rules)
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? ''
    const rule = rules[name]
    const place = pointerOf(['rules', name])
    if (typeof rule !== 'function') problems[problems.length] = `${place} expected a function`
    else if (name.trim() === '') problems[problems.length] = `${place} expected a name that is not blank`
    else byName.set(name, rule as CheckRule)
  }
  return problems.length > 0 ? { problems } : { json, rules: byName }
}

/** The policy that a module exports: its default, else all of its exports. */
export function policyOfModule(module: unknown): PolicyData {
  const { policy, ignored } = isModule(module) ? exportsOf(module) : { policy: module, ignored: [] }
  const data = policyData(policy)
  const isEmpty = !('problems' in data) && keys(policy as object).length === 0
  if (isEmpty) return { problems: ['exports nothing; export the policy, as in `export default { failOn: "poor" }`'] }
  if (ignored.length === 0) return data
  const what = 'is exported beside the default export; move it into that, or do not export it'
  return { problems: ignored.map((name) => `${pointerOf([name])} ${what}`) }
}

function exportsOf(module: Record<string, unknown>): { policy: unknown; ignored: string[] } {
  const names = keys(module).filter((name) => name !== '__esModule')
  if (!names.includes('default')) {
    const policy: Record<string, unknown> = {}
    for (const name of names) policy[name] = module[name]
    return { policy, ignored: [] }
  }
  const policy = module.default
  // A CommonJS module exports its fields by name, too.
  const isRead = (value: unknown, name: string) =>
    value === policy || (isObject(policy) && Object.hasOwn(policy, name) && policy[name] === value)
  return { policy, ignored: names.filter((name) => name !== 'default' && !isRead(module[name], name)) }
}

const isModule = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && (Object.hasOwn(value, '__esModule') || Object.hasOwn(value, Symbol.toStringTag))

/** @throws {CheckError} with the place of each problem */
export function refusePolicy(name: string, problems: readonly string[]): never {
  const hint = 'a policy in code has the names and values of svc.checks.json, and functions in "rules" only'
  throw notPlain(`${name}: the policy cannot be used`, problems, hint)
}
