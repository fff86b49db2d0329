import type * as z from 'zod/mini'
import { comparisonShape, reportShape } from './report.js'

/** The names of the fields of each object by its path, the document itself at ''; `any` if the names are data. */
export type FieldsByPath = Readonly<Record<string, readonly string[] | 'any'>>

/** The fields of a report, for programs that select some of them. */
export const reportFields = (): FieldsByPath => ({
  ...fieldsOf(reportShape),
  // The service may add fields to these.
  'cases.summary': 'any',
  'cases.usage': 'any',
})

/** The fields of a comparison of reports. */
export const comparisonFields = (): FieldsByPath => fieldsOf(comparisonShape)

function fieldsOf(shape: z.core.$ZodType): FieldsByPath {
  const fieldsByPath: Record<string, readonly string[] | 'any'> = {}
  const walk = (path: string, schema: z.core.$ZodType): void => {
    const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] }
    if (def.type === 'record') fieldsByPath[path] = 'any'
    else if (def.type === 'array') walk(path, def.element)
    else if (def.type === 'union') for (const option of def.options) walk(path, option)
    else if (def.type === 'object') {
      const names = Object.keys(def.shape)
      fieldsByPath[path] = [...new Set([...(fieldsByPath[path] ?? []), ...names])]
      for (const name of names) if (def.shape[name]) walk(path === '' ? name : `${path}.${name}`, def.shape[name])
    } else if ('innerType' in def) walk(path, def.innerType)
  }
  walk('', shape)
  return fieldsByPath
}
