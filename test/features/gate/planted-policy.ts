import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { GivenAnswer } from './planted-answers.js'
import type { NamedRecord } from './planted-files.js'

const levels = ['mixed', 'poor', 'critical'] as const
const scale = ['strong', 'mixed', 'poor', 'critical']

interface DrawnRules {
  failOn: (typeof levels)[number]
  forbidden: readonly string[]
}

export interface DrawnPolicy {
  /** How it is given, or what is wrong with it. */
  place: string
  rules: DrawnRules
  /** Other rules for the files in `t/a`. */
  override: DrawnRules | undefined
  attempts: number
  confirms: boolean
}

const rules: fc.Arbitrary<DrawnRules> = fc.record({
  failOn: fc.oneof({ weight: 2, arbitrary: fc.constant('poor' as const) }, fc.constantFrom(...levels)),
  forbidden: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.constant(['loop'])),
})

const goodPlaces = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('flags', 'found', 'named') },
  // The code of a policy runs in a thread, which takes its time.
  { weight: 1, arbitrary: fc.constant('code') },
)

/** The defects of a policy with which no run may pass. */
export const faultyPlaces = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'cut off',
      'an unknown key',
      'twice',
      'a list',
      'missing',
      'a folder',
      'a dangling link',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['no export', 'throws', 'exits in a rule', 'exits at import', 'never settles', 'late error', 'late exit'],
    ),
  },
)

export const policies: fc.Arbitrary<DrawnPolicy> = fc.record({
  place: fc.oneof({ weight: 9, arbitrary: goodPlaces }, { weight: 1, arbitrary: faultyPlaces }),
  rules,
  override: fc.option(rules, { freq: 3, nil: undefined }),
  attempts: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 3 })),
  confirms: fc.boolean(),
})

/** A policy by which `strong` passes. */
export const goodPolicies: fc.Arbitrary<DrawnPolicy> = fc.record({
  ...{
    place: goodPlaces,
    rules,
    override: fc.constant(undefined),
    attempts: fc.constantFrom(1, 1, 2),
    confirms: fc.boolean(),
  },
})

const codeOf = (json: string, code: string, before = '') =>
  `${before}\nexport default { ...${json}, rules: { word: ({ transcript }) => { ${code} } } }\n`

const found = "return transcript.turns[0].content.includes('ruled') ? 'says it' : []"
const faulty: Record<string, (json: string) => string> = {
  throws: (json) => codeOf(json, "throw new Error('of the rule')"),
  'no export': () => 'export const policy = {}\n',
  'exits in a rule': (json) => codeOf(json, 'process.exit(0)'),
  'exits at import': (json) => codeOf(json, found, 'process.exit(0)'),
  'never settles': (json) => codeOf(json.replace('{', '{"ruleTimeout":"200ms",'), 'return new Promise(() => {})'),
  'late error': (json) => codeOf(json, "setTimeout(() => { throw new Error('late') }); return []"),
  'late exit': (json) => codeOf(json, 'setTimeout(() => process.exit(0)); return []'),
}

/** Write a policy, and give its flags and what it says of answers. */
export function plantPolicy(cwd: string, { place, rules, override, attempts, confirms }: DrawnPolicy) {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  const confirmOnFail = confirms && attempts > 1
  const ofFlags = place === 'flags'
  const other = ofFlags ? undefined : override
  const policy = { annotator: 'structural', ...rules, attempts, ...(confirmOnFail && { confirmOnFail }) }
  const json = JSON.stringify({ ...policy, ...(other && { overrides: [{ files: ['t/a/**'], ...other }] }) })
  const flags: string[] = []
  const code = place === 'code' ? codeOf(json, found) : faulty[place]?.(json)
  if (ofFlags) {
    flags.push('--annotator=structural', `--fail-on=${rules.failOn}`, `--attempts=${attempts}`, '--no-policy')
    flags.push(
      ...rules.forbidden.map((signal) => `--forbid=${signal}`),
      ...(confirmOnFail ? ['--confirm-on-fail'] : []),
    )
  } else if (code !== undefined) {
    write('svc.checks.ts', code)
    flags.push('--policy=svc.checks.ts')
  } else if (place === 'missing') flags.push('--policy=gone.json')
  else if (place === 'a folder') {
    mkdirSync(join(cwd, 'folder'))
    flags.push('--policy=folder')
  } else if (place === 'a dangling link') {
    symlinkSync('gone.json', join(cwd, 'svc.checks.json'))
    flags.push('--annotator=structural')
  } else {
    const text =
      { 'cut off': json.slice(0, -3), 'an unknown key': json.replace('{', '{"failon":"none",'), 'a list': `[${json}]` }[
        place
      ] ?? json
    write(place === 'named' ? 'named.json' : 'svc.checks.json', text)
    if (place === 'named') flags.push('--policy=named.json')
    if (place === 'twice') write('svc.checks.mjs', codeOf(json, found))
  }
  const isFaulty = !['flags', 'found', 'named', 'code'].includes(place)
  const rulesOf = (path: string) => (other && path.startsWith('t/a/') ? other : rules)

  /** The verdict of the policy on an answer about a conversation. */
  function judged({ path, content }: NamedRecord, { outcome, signals }: GivenAnswer): 'passes' | 'fails' | 'neither' {
    const { failOn, forbidden } = rulesOf(path)
    const rank = scale.indexOf(outcome)
    const isRuled = place === 'code' && content.includes('ruled')
    if (rank >= scale.indexOf(failOn) || forbidden.some((signal) => signals.includes(signal)) || isRuled) return 'fails'
    return rank >= 0 ? 'passes' : 'neither'
  }
  return { flags, isFaulty, attempts, confirmOnFail, judged }
}
