import * as z from 'zod/mini'
import { defaults, policySchema, rateInFile, words } from './schema.js'

/** The JSON schema of the policy file, with descriptions for editors. */
export function policyJsonSchema(): object {
  const { $schema, type, additionalProperties, properties, ...rest } = z.toJSONSchema(policySchema, {
    target: 'draft-07',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const of = words.get(zodSchema)
      if (of) Object.assign(jsonSchema, { description: `${of.meaning}.`, examples: [of.example] })
      if (zodSchema === rateInFile) jsonSchema.oneOf = [{ required: ['outcome'] }, { required: ['signal'] }]
    },
  })
  // The rules of an override have the same schemas but no defaults.
  const withDefaults = Object.entries(properties ?? {}).map(([key, schema]) => [
    key,
    { ...(schema as object), ...(key in defaults && { default: defaults[key as keyof typeof defaults] }) },
  ])
  return {
    ...{ $schema, type, additionalProperties, title: 'Policy of svc check' },
    description: 'The rules of `svc check` (svc.checks.json).',
    properties: Object.fromEntries(withDefaults),
    ...rest,
  }
}
