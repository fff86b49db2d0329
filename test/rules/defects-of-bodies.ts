import { rules as annotationFields } from './annotation-fields.rules.js'
import type { Defects } from './defect.js'
import { rules as jsonBody } from './json-body.rules.js'
import { rules as projectFields } from './project-fields.rules.js'
import { rules as uploadFields } from './upload-fields.rules.js'

const bodies = 'bodies.ts'
const shape = 'shape.ts'
const readings = 'readings.ts'

export const ofJson: Defects = {
  likely: jsonBody,
  defects: [
    {
      name: 'takes any Content-Type',
      file: 'body.ts',
      find: "if (!isJson(contentType)) throw new Refusal(status, 'The body must",
      replace: "if (false) throw new Refusal(status, 'The body must",
    },
    {
      name: 'refuses a Content-Type with a charset',
      file: 'body.ts',
      find: "(contentType ?? '').split(';', 1)[0]?.trim()",
      replace: "(contentType ?? '').trim()",
    },
    { name: 'takes bytes that are no UTF-8', file: 'body.ts', find: 'fatal: true', replace: 'fatal: false' },
    { name: 'answers 400 to malformed JSON on A', file: 'operation.ts', find: '? 400 : 422', replace: '? 400 : 400' },
    {
      name: 'repeats the text that is no JSON',
      file: 'body.ts',
      find: "'The body is not valid JSON.'",
      replace: "'This is no JSON: ' + new TextDecoder().decode(bytes)",
    },
    {
      name: 'refuses fields that it does not know',
      file: shape,
      find: '    for (const [name, shape] of fields) {\n',
      replace: `    const names = fields.map(([name]) => name)
    for (const name of Object.keys(value)) if (!names.includes(name)) out.push({ pointer, expected: 'no such field' })
    for (const [name, shape] of fields) {
`,
    },
  ],
}

export const ofFields: Defects = {
  likely: [...uploadFields, ...projectFields, ...annotationFields],
  defects: [
    {
      name: 'takes over fields of an upload that it does not know',
      file: bodies,
      find: 'return known as',
      replace: 'return upload as',
    },
    {
      name: 'takes an array for an object',
      file: shape,
      find: "typeof value === 'object' && value !== null && !Array.isArray(value)",
      replace: "typeof value === 'object' && value !== null",
    },
    {
      name: 'takes null for a field that is left out',
      file: shape,
      find: 'if (Object.hasOwn(value, name) && value[name] !== undefined) inside(',
      replace:
        'if (value[name] === null && !Object.hasOwn(required, name)) continue\n      if (Object.hasOwn(value, name)) inside(',
    },
    {
      name: 'misses no field',
      file: shape,
      find: 'else if (Object.hasOwn(required, name)) out.push',
      replace: 'else if (false) out.push',
    },
    {
      name: 'takes any role of a turn',
      file: bodies,
      find: "role: oneOf(['user', 'assistant', 'system', 'tool', 'human_agent'])",
      replace: 'role: string',
    },
    { name: 'does not know human_agent', file: bodies, find: "'tool', 'human_agent']", replace: "'tool']" },
    { name: 'takes any createdAt', file: bodies, find: 'createdAt: isoDate', replace: 'createdAt: anything' },
    {
      name: 'takes any sourceTimestamp',
      file: bodies,
      find: 'sourceTimestamp: isoDate',
      replace: 'sourceTimestamp: string',
    },
    { name: 'takes "true" for true', file: bodies, find: 'process: boolean', replace: 'process: anything' },
    {
      name: 'takes any domain',
      file: bodies,
      find: "domain: oneOf(['general', 'ai_coding'])",
      replace: 'domain: string',
    },
    { name: 'does not know ai_coding', file: bodies, find: "['general', 'ai_coding']", replace: "['general']" },
    {
      name: 'takes a list for the metadata of a turn',
      file: bodies,
      find: '    metadata: anyObject,\n    createdAt',
      replace: '    metadata: anything,\n    createdAt',
    },
    {
      name: 'takes a tool call without a name',
      file: bodies,
      find: 'toolCalls: list(object({ name: string, args: anything }))',
      replace: 'toolCalls: list(object({ args: anything }))',
    },
    {
      name: 'takes any is_user_visible',
      file: bodies,
      find: 'is_user_visible: boolean',
      replace: 'is_user_visible: anything',
    },
    { name: 'takes any options', file: bodies, find: 'options: anyObject', replace: 'options: anything' },
    {
      name: 'answers 400 to an invalid annotation',
      file: bodies,
      find: 'read<AnnotationRequest>(body, annotation, 422)',
      replace: 'read<AnnotationRequest>(body, annotation, 400)',
    },
    {
      name: 'does not look at the form of a project id',
      file: 'ids.ts',
      find: "typeof id === 'string' && projectIdForm.test(id)",
      replace: "typeof id === 'string'",
    },
    {
      name: 'answers 422 to an unknown annotator',
      file: readings,
      find: 'unknownAnnotator: 404,',
      replace: 'unknownAnnotator: 422,',
    },
  ],
}
