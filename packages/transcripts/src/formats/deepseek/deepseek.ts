import { defineFormat } from '../../contract/index.js'
import { asObject, isObject, objectsOf } from '../../json/index.js'

/** The data export of DeepSeek since its messages have fragments. Older ones do not say who speaks. */
export const deepseek = defineFormat({
  id: 'deepseek',
  title: 'DeepSeek export',
  accepts:
    '{ "id", "title", "mapping": { "<id>": { "parent", "message": { "fragments": [{ "type", "content" }] } } } }',
  signature: { 'mapping inserted_at': 0.97 },
  conversation: { name: 'title', externalId: 'id', sourceTimestamp: 'inserted_at' },
  messages: 'mapping',
  tree: { id: 'id', parent: 'parent' },
  role: ({ message }) => (isObject(message) ? objectsOf(message.fragments)[0]?.type : 'root'),
  roles: { user: 'REQUEST', assistant: 'RESPONSE THINK SEARCH', omitted: 'root' },
  text: ({ message }) => fragmentsOf(message, 'REQUEST', 'RESPONSE').map((text) => ({ type: 'text', text })),
  thinking: ({ message }) => fragmentsOf(message, 'THINK'),
  time: 'message.inserted_at',
  model: 'message.model',
  structure: 'children',
})

const fragmentsOf = (message: unknown, ...types: string[]) =>
  objectsOf(asObject(message).fragments).flatMap(({ type, content }) =>
    types.some((each) => each === type) ? [content] : [],
  )
