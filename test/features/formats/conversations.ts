import type { Transcript } from '@svc/transcripts'
import fc from 'fast-check'

/** Something that a tool was asked and answered. */
export interface Use {
  name: string
  args: Record<string, string | number>
  result: string
}

/** A question, what the assistant did about it, and its answer. */
export interface Exchange {
  question: string
  steps: { words: string | undefined; uses: Use[] }[]
  answer: string
}

/** The content of a turn of a transcript. */
export interface Said {
  role: string
  content: string
  toolCalls?: { name: string; args: unknown }[]
  toolResults?: { name: string; result: unknown }[]
}

/** Whatever people type: several lines, several scripts, and what looks like JSON; never blank. */
const words = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a\n b', '{"a":1}', '"', '\\', '[1]', '</x>', 'é😀\t'))
  .map((text) => `x${text}y`)
const name = fc.constantFrom('look', 'Bash', 'read_file', 'get-weather')
const use = fc.record({ name, args: fc.record({ where: words, times: fc.integer() }), result: words })
const uses = fc.array(use, { minLength: 1, maxLength: 3 })
const step = fc.record({ words: fc.option(words, { nil: undefined }), uses })

export const conversations = (withTools: boolean): fc.Arbitrary<Exchange[]> => {
  const steps: fc.Arbitrary<Exchange['steps']> = withTools ? fc.array(step, { maxLength: 2 }) : fc.constant([])
  return fc.array(fc.record({ question: words, steps, answer: words }), { minLength: 1, maxLength: 4 })
}

/** The turns that a conversation is. */
export function saidIn(conversation: readonly Exchange[]): Said[] {
  return conversation.flatMap(({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap(({ words, uses }) => [
      {
        role: 'assistant',
        content: words ?? `[tool call: ${uses.map((each) => each.name).join(', ')}]`,
        toolCalls: uses.map(({ name, args }) => ({ name, args })),
      },
      ...uses.map(({ name, result }) => ({ role: 'tool', content: result, toolResults: [{ name, result }] })),
    ]),
    { role: 'assistant', content: answer },
  ])
}

/** The turns that other formats have a place for, with the values of results as texts. Markers in the place of content are none. */
export function writtenTurns({ turns }: Transcript): Said[] {
  return turns.flatMap(({ role, content, toolCalls, toolResults, metadata }): Said[] => {
    if (metadata?.synthetic_content === true && !toolCalls && !toolResults) return []
    const results = toolResults?.map(({ name, result }) => {
      return { name, result: typeof result === 'string' ? result : JSON.stringify(result) }
    })
    return [
      {
        role: role === 'human_agent' ? 'assistant' : role,
        content: results ? '' : content,
        ...(toolCalls && { toolCalls }),
        ...(results && { toolResults: results }),
      },
    ]
  })
}
