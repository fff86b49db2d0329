import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { detect, toAnnotationMessages, toUpload } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../../helpers/session.js'
import { files, folder, readReal, reason, titled } from './folder.js'

/** By the start of its path; the longest that fits counts. */
const formats: Record<string, string> = {
  'other/aider': 'aider',
  'other/grok': 'grok-cli',
  'anthropic-managed-agents/': 'anthropic-managed-agents',
  'anthropic-messages/': 'anthropic-messages',
  'atif/': 'atif',
  'chatgpt-export/': 'chatgpt-export',
  'claude-agent-sdk/': 'claude-agent-sdk',
  'claude-code/': 'claude-code',
  'codex/': 'codex',
  'codex/exec_json_stream': 'codex-exec',
  'content-parts/': 'sharegpt',
  'gemini-cli/': 'gemini-cli',
  'human-support/': 'dialogues',
  'inspect/': 'inspect',
  'langchain/': 'langchain',
  'langfuse/': 'langfuse',
  'oasst/': 'oasst',
  'openai-chat/': 'openai-chat',
  'openai-responses/': 'openai-responses',
  'otel/': 'otel-genai',
  'sharegpt/': 'sharegpt',
  'swe-agent/': 'swe-agent',
  // Plain messages without a mark of their tool: what they are called changes nothing of how they are read.
  'swe-agent/mini_local': 'turns',
  'tau-bench/': 'tau-bench',
}

/** The names of files that are refused, and the reasons. */
const refusals: readonly [RegExp, RegExp][] = [
  [/agent-\w+\.jsonl$/, /found only \d of sub-agents/],
  [/\.meta\.json$/, /found an object with keys agentType, spawnDepth/],
  [/codex_050_legacy/, /a Codex session of \d+ lines without messages/],
  [/retail_fewshot/, /conversations that are printed as one text/],
]
const refusalOf = (file: string) => refusals.find(([name]) => name.test(file))?.[1]
const readable = files.filter((file) => refusalOf(file) === undefined)
const formatOf = (file: string) =>
  formats[
    Object.keys(formats)
      .filter((start) => file.startsWith(start))
      .sort((a, b) => b.length - a.length)[0] ?? ''
  ]

describe.skipIf(folder === undefined)(`every real file${reason}`, () => {
  it.each(files.filter(refusalOf).map(titled))('is read or refused with a reason and a place: %s', async (_, file) => {
    const error = await readReal(file).catch((reason: Error) => reason)
    expect((error as Error).message).toMatch(refusalOf(file) ?? /^$/)
    expect((error as Error).message).toMatch(/^line \d+, column \d+/)
  })

  it.each(readable.map(titled))('detects the format of %s', async (_, file) => {
    const { format, transcripts } = await readReal(file)
    expect(format).toBe(formatOf(file))
    expect(transcripts.every(({ turns }) => turns.length > 0)).toBe(true)
  })

  it.each(readable.filter((file) => !file.endsWith('.eval')).map(titled))(
    'is seen by its first 64 KB: %s',
    (_, file) => {
      const head = readFileSync(join(folder ?? '', file)).subarray(0, 65_536)
      expect(detect(head)?.format).toBe(formatOf(file))
    },
  )

  it.each(readable.map(titled))('has the same turns when stored: %s', async (_, file) => {
    const { svc } = createSession()
    const { id } = await svc.projects.create({ name: 'Real data' })
    for (const transcript of (await readReal(file)).transcripts) {
      const body = toUpload(transcript)
      const stored = await svc.transcripts.upload(id, body)
      expect((await svc.transcripts.get(stored.id)).turns).toEqual(JSON.parse(JSON.stringify(body.turns)))
      expect(toAnnotationMessages(transcript).map(({ role }) => role)).toEqual(body.turns.map(({ role }) => role))
    }
  })
})
