import * as z from 'zod/mini'
import { type PolicyJson, partsOfPolicy, policyShape } from './policy-shape.js'

export interface KeyWords {
  type: string
  /** Undefined if there is no default. */
  default?: unknown
  /** Without a full stop. */
  meaning: string
  example: unknown
}

type Keys<Of> = Record<keyof Of & string, KeyWords>
type Item<List> = NonNullable<List> extends readonly (infer Of)[] ? Of : never

const outcomes = '`strong`, `mixed`, `poor`, `critical`'

const ruleWords = {
  failOn: {
    type: `${outcomes} or \`none\``,
    default: 'poor',
    meaning:
      'A transcript fails at this outcome or a worse one; with `none` no outcome fails by itself, which is also the default where `rates` has an outcome',
    example: 'critical',
  },
  forbidden: {
    type: 'list of signals',
    default: [],
    meaning: 'A transcript fails where one of them fired',
    example: ['loop'],
  },
  allowed: {
    type: 'list of signals',
    meaning: 'A transcript fails where any other signal fired; not given, all may',
    example: ['greeting', 'handover'],
  },
  required: {
    type: 'list of signals',
    default: [],
    meaning: 'A transcript fails where one of them did not fire',
    example: ['greeting'],
  },
  indeterminate: {
    type: '`unjudged`, `fail`, `warn` or `ignore`',
    default: 'unjudged',
    meaning: 'What an indeterminate outcome is: not judged, a failure, a pass with a warning, or a pass',
    example: 'warn',
  },
} satisfies Record<string, KeyWords>

export const policyKeys: Keys<PolicyJson> = {
  $schema: {
    type: 'text',
    meaning: 'Where an editor finds what the keys mean; `svc` does not read it',
    example: './node_modules/@svc/cli/svc.checks.schema.json',
  },
  annotator: { type: 'text', meaning: 'The annotator to ask; `--annotator` goes before it', example: 'patterns' },
  options: {
    type: 'object',
    meaning: 'Annotation options; those of `--options` and `--option` are put over them, one by one',
    example: { language: 'en' },
  },
  paths: {
    type: 'list of paths or patterns',
    meaning:
      'What is checked where the command line names nothing, from the folder of the file; `!pattern` leaves files out',
    example: ['transcripts'],
  },
  exclude: {
    type: 'list of patterns',
    meaning:
      'Files that are left out: by their name, as in `*.draft.json`, or by their path from the folder of the file, as in `drafts/**`; `--exclude` adds to it',
    example: ['drafts/**', '*.tmp.json'],
  },
  baseline: {
    type: 'path',
    meaning: 'The baseline to hold the check against, from the folder of the file; `--baseline` goes before it',
    example: 'svc.baseline.json',
  },
  ...ruleWords,
  rates: {
    type: 'list of rates',
    default: [],
    meaning: 'How large a share of the judged transcripts may be of a kind',
    example: [{ outcome: 'poor', max: '5%' }],
  },
  confidence: {
    type: 'share over 50 % and under 100 %',
    meaning: 'A rate counts only where it is so sure; not given, the share that is seen counts',
    example: 0.95,
  },
  minJudged: {
    type: 'share',
    default: 1,
    meaning: 'So large a share of the transcripts has to be judged, else the check could not judge',
    example: '98%',
  },
  maxTokens: {
    type: 'whole number from 1',
    meaning: 'After so many tokens, in and out, nothing more is asked',
    example: 2_000_000,
  },
  deadline: {
    type: 'duration: a number and `ms`, `s`, `m`, `h` or `d`; seconds without',
    meaning: 'After so long nothing more is asked; `--deadline` goes before it',
    example: '10m',
  },
  attempts: {
    type: 'whole number from 1 to 9',
    default: 1,
    meaning: 'Each transcript is asked about so often; half or more failing answers fail it',
    example: 3,
  },
  confirmOnFail: {
    type: 'true or false',
    default: false,
    meaning: 'Only what fails at first is asked about again; it needs `attempts` from 2',
    example: true,
  },
  overrides: {
    type: 'list of overrides',
    default: [],
    meaning: 'Other rules for some files',
    example: [{ files: ['legacy/**'], failOn: 'critical' }],
  },
}

export const rateKeys: Keys<Item<PolicyJson['rates']>> = {
  outcome: { type: outcomes, meaning: 'The bound is for transcripts of this outcome or a worse one', example: 'poor' },
  signal: { type: 'text', meaning: 'The bound is for transcripts in which this signal fired', example: 'loop' },
  max: { type: 'share', meaning: 'No larger share may be so', example: '5%' },
}

export const overrideKeys: Keys<Item<PolicyJson['overrides']>> = {
  files: {
    type: 'list of patterns',
    meaning: 'The files that it is for, from the folder of the policy, such as `legacy/**`',
    example: ['legacy/**'],
  },
  ...ruleWords,
}

/** The JSON schema of the policy file, with descriptions for editors. */
export function policySchema(): object {
  const words = z.registry<Record<string, unknown>>()
  words.add(policyShape, {
    title: 'Policy of svc check',
    description: 'What `svc check` holds transcripts to (svc.checks.json).',
  })
  const { rate, override } = partsOfPolicy
  words.add(rate, { oneOf: [{ required: ['outcome'] }, { required: ['signal'] }] })
  const describe = (shape: Record<string, z.core.$ZodType>, keys: Record<string, KeyWords>) => {
    for (const [key, { meaning, example }] of Object.entries(keys)) {
      words.add(shape[key] as z.core.$ZodType, { description: `${meaning}.`, examples: [example] })
    }
  }
  describe(policyShape.shape, policyKeys)
  describe(rate.shape, rateKeys)
  describe(override.shape, overrideKeys)
  const { properties = {}, ...schema } = z.toJSONSchema(policyShape, { metadata: words, target: 'draft-07' })
  // The rules of an override have the same shapes but no defaults.
  const withDefaults = Object.entries(policyKeys).map(([key, { default: preset }]) => [
    key,
    { ...(properties[key] as object), ...(preset === undefined ? {} : { default: preset }) },
  ])
  return { ...schema, properties: Object.fromEntries(withDefaults) }
}
