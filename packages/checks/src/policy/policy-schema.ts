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
      'A transcript fails at this outcome or a worse one; `none`: no outcome fails on its own (the default if `rates` has an outcome)',
    example: 'critical',
  },
  forbidden: {
    type: 'list of signals',
    default: [],
    meaning: 'A transcript fails if one of these signals fired',
    example: ['loop'],
  },
  allowed: {
    type: 'list of signals',
    meaning: 'A transcript fails if any other signal fired; without it, all signals are allowed',
    example: ['greeting', 'handover'],
  },
  required: {
    type: 'list of signals',
    default: [],
    meaning: 'A transcript fails if one of these signals did not fire',
    example: ['greeting'],
  },
  indeterminate: {
    type: '`unjudged`, `fail`, `warn` or `ignore`',
    default: 'unjudged',
    meaning: 'How to count an indeterminate outcome: not judged, failed, passed with a warning, or passed',
    example: 'warn',
  },
} satisfies Record<string, KeyWords>

export const policyKeys: Keys<PolicyJson> = {
  $schema: {
    type: 'text',
    meaning: 'The JSON schema for editors; `svc` does not read it',
    example: './node_modules/@svc/cli/svc.checks.schema.json',
  },
  annotator: { type: 'text', meaning: 'The annotator; `--annotator` overrides it', example: 'patterns' },
  options: {
    type: 'object',
    meaning: 'Annotation options; `--options` and `--option` override single options',
    example: { language: 'en' },
  },
  paths: {
    type: 'list of paths or patterns',
    meaning: 'The paths to check if the command line names none, relative to the policy file; `!pattern` skips files',
    example: ['transcripts'],
  },
  exclude: {
    type: 'list of patterns',
    meaning:
      'Files to skip, by name (`*.draft.json`) or by path relative to the policy file (`drafts/**`); `--exclude` adds to them',
    example: ['drafts/**', '*.tmp.json'],
  },
  baseline: {
    type: 'path',
    meaning: 'The baseline file, relative to the policy file; `--baseline` overrides it',
    example: 'svc.baseline.json',
  },
  ...ruleWords,
  tags: {
    type: 'object of fields by tag',
    meaning: 'Groups the transcripts by a field as in `--where`, or by `folder:1`, the first folder of the path',
    example: { team: 'metadata.team', channel: 'folder:1' },
  },
  rates: {
    type: 'list of rates',
    default: [],
    meaning: 'The largest allowed shares of the judged transcripts',
    example: [{ outcome: 'poor', max: '5%' }],
  },
  confidence: {
    type: 'share over 50 % and under 100 %',
    meaning: 'A rate is decided only at this confidence; without it, by the observed share',
    example: 0.95,
  },
  minJudged: {
    type: 'share',
    default: 1,
    meaning: 'The share of the transcripts that must be judged, else the check could not judge',
    example: '98%',
  },
  maxTokens: {
    type: 'whole number from 1',
    meaning: 'Send no more requests after this number of tokens, in and out',
    example: 2_000_000,
  },
  maxFailures: {
    type: 'whole number from 1',
    meaning: 'Send no more requests after this number of failed transcripts',
    example: 10,
  },
  prices: {
    type: 'object of `currency`, `in` and `out`',
    meaning: 'The prices of a million tokens in and out: reports and `--dry-run` then show the cost',
    example: { currency: 'EUR', in: 3, out: 15 },
  },
  deadline: {
    type: 'duration: a number and `ms`, `s`, `m`, `h` or `d`; seconds without',
    meaning: 'Send no more requests after this time; `--deadline` overrides it',
    example: '10m',
  },
  attempts: {
    type: 'whole number from 1 to 9',
    default: 1,
    meaning: 'Annotate each transcript this many times; it fails if half or more attempts fail',
    example: 3,
  },
  confirmOnFail: {
    type: 'true or false',
    default: false,
    meaning: 'Repeat only transcripts that fail at first; requires `attempts` of 2 or more',
    example: true,
  },
  overrides: {
    type: 'list of overrides',
    default: [],
    meaning: 'Different rules for some files',
    example: [{ files: ['legacy/**'], failOn: 'critical' }],
  },
}

export const rateKeys: Keys<Item<PolicyJson['rates']>> = {
  outcome: { type: outcomes, meaning: 'Limits transcripts with this outcome or a worse one', example: 'poor' },
  signal: { type: 'text', meaning: 'Limits transcripts in which this signal fired', example: 'loop' },
  max: { type: 'share', meaning: 'The largest allowed share', example: '5%' },
  by: { type: 'name of a tag', meaning: 'Limits the share for each value of this tag on its own', example: 'team' },
}

export const overrideKeys: Keys<Item<PolicyJson['overrides']>> = {
  files: {
    type: 'list of patterns',
    meaning: 'The files that it applies to, relative to the policy file, such as `legacy/**`',
    example: ['legacy/**'],
  },
  ...ruleWords,
}

/** The JSON schema of the policy file, with descriptions for editors. */
export function policySchema(): object {
  const words = z.registry<Record<string, unknown>>()
  words.add(policyShape, {
    title: 'Policy of svc check',
    description: 'The rules of `svc check` (svc.checks.json).',
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
