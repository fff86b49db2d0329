import { defineFormat } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Prompts of Google AI Studio, as they are saved in Drive. */
export const aiStudio = defineFormat({
  id: 'ai-studio',
  title: 'Google AI Studio prompt',
  accepts: '{ "chunkedPrompt": { "chunks": [{ "role": "user" | "model", "text" | "parts", "isThought"? }] } }',
  signature: { 'chunkedPrompt.chunks[]': 0.98 },
  conversation: {
    name: ['displayName', 'title'],
    externalId: 'id',
    modelName: 'runSettings.model',
    sourceTimestamp: 'createTime',
  },
  system: ({ systemInstruction }) => textIn(asObject(systemInstruction)),
  messages: 'chunkedPrompt.chunks',
  roles: { user: 'user', assistant: 'model', system: 'system' },
  text: (chunk) => (chunk.isThought === true ? undefined : textIn(chunk)),
  thinking: (chunk) => (chunk.isThought === true ? textIn(chunk) : undefined),
  files: ({ driveDocument, driveImage, inlineFile, inlineData }) => [
    ...(driveImage ? [{ type: 'image', file_name: asObject(driveImage).id }] : []),
    ...[driveDocument, inlineFile, inlineData]
      .filter(isObject)
      .map((file) => ({ type: 'file', file_name: file.id ?? file.mimeType })),
  ],
  time: 'createTime',
  calls: { in: 'executableCode', name: () => 'code_execution', args: ({ language, code }) => ({ language, code }) },
  results: {
    in: 'codeExecutionResult',
    name: () => 'code_execution',
    output: 'output',
    error: ({ outcome }) => typeof outcome === 'string' && /FAILED|ERROR/.test(outcome),
  },
  structure: 'finishReason outcome language model safetySettings',
})

function textIn({ text, parts }: JsonObject): unknown {
  return typeof text === 'string' ? text : objectsOf(parts).map((part) => ({ type: 'text', text: part.text }))
}
