import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { detect, TranscriptFileError } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { filesIn, productsFolder, readReal, reason, titled } from './folder.js'

/** The format that reads a file, or the product that refuses it, by the start of its path; the longest that fits counts. */
const expected: Record<string, string> = {
  'adk/': 'adk-evaluation',
  'aider/': 'aider',
  'aistudio/': 'ai-studio',
  'amp/': 'amp',
  'antigravity/': 'antigravity',
  'chatbotui/': 'openai-chat',
  'chatgpt/': 'chatgpt-export',
  'claude-code/': 'claude-code',
  'clawdbot/': 'turns',
  'cline/': 'cline',
  'codex/': 'codex',
  'codex/casr_codex_legacy': 'turns',
  'copilot-cli/': 'copilot-cli',
  'cursor/': 'cursor',
  'cursor/as_test-store.db': 'a Cursor database',
  'cursor/casr_state.vscdb': 'a Cursor database',
  'documented-shapes/arena': 'arena',
  'documented-shapes/bedrock': 'bedrock',
  'documented-shapes/bland': 'bland',
  'documented-shapes/braintrust': 'braintrust',
  'documented-shapes/capybara': 'dialogues',
  'documented-shapes/chatwoot': 'chatwoot',
  'documented-shapes/cohere_finetune': 'dialogues',
  'documented-shapes/cohere_v2': 'openai-chat',
  'documented-shapes/connect': 'amazon-connect',
  'documented-shapes/crisp': 'crisp',
  'documented-shapes/datadog': 'datadog',
  'documented-shapes/deepeval': 'deepeval',
  'documented-shapes/dolly': 'pairs',
  'documented-shapes/freshdesk': 'freshdesk',
  'documented-shapes/front': 'front',
  'documented-shapes/gemini': 'gemini-api',
  'documented-shapes/genesys': 'genesys',
  'documented-shapes/gorgias': 'gorgias',
  'documented-shapes/helicone': 'helicone',
  'documented-shapes/hubspot': 'hubspot',
  'documented-shapes/intercom': 'intercom',
  'documented-shapes/jaeger': 'otel-genai',
  'documented-shapes/livekit': 'livekit',
  'documented-shapes/liveperson': 'liveperson',
  'documented-shapes/lmsys': 'dialogues',
  'documented-shapes/mistral': 'openai-chat',
  'documented-shapes/mlflow': 'mlflow',
  'documented-shapes/ollama': 'openai-chat',
  'documented-shapes/openai_assistants': 'openai-assistants',
  'documented-shapes/openai_dpo': 'openai-chat',
  'documented-shapes/openai_realtime': 'openai-realtime',
  'documented-shapes/openai_stream': 'openai-stream',
  'documented-shapes/orca': 'pairs',
  'documented-shapes/otel_python': 'otel-genai',
  'documented-shapes/otlp': 'otel-genai',
  'documented-shapes/posthog': 'posthog',
  'documented-shapes/promptfoo': 'promptfoo',
  'documented-shapes/ragas_multi': 'ragas',
  'documented-shapes/retell': 'retell',
  'documented-shapes/sgd': 'dialogues',
  'documented-shapes/tau2': 'tau2',
  'documented-shapes/tempo': 'otel-genai',
  'documented-shapes/ultrachat': 'pairs',
  'documented-shapes/ultrachat200k': 'openai-chat',
  'documented-shapes/vapi': 'vapi',
  'documented-shapes/vertex': 'gemini-api',
  'droid/': 'pi',
  'gemini-cli/': 'gemini-cli',
  'grok-cli/': 'grok-cli',
  'grok-web/': 'grok',
  'hermes/': 'hermes',
  'inspect/': 'inspect',
  'inspect/ds_': 'an Inspect data set',
  'instagram/': 'messenger',
  'kimi/': 'kimi',
  'librechat/': 'librechat',
  'llamafactory/alpaca': 'pairs',
  'mtbench/': 'mt-bench',
  'mtbench/question': 'an MT-Bench file of questions',
  'openclaw/': 'pi',
  'opencode/': 'a part of an opencode session',
  'openwebui/': 'open-webui',
  'pi/': 'pi',
  'promptflow/': 'openai-chat',
  'promptflow/denormalized-flat': 'dialogues',
  'promptflow/eval-': 'pairs',
  'promptflow/samples': 'pairs',
  'qwen/': 'qwen-code',
  'specstory/': 'specstory',
  'subtitles/': 'webvtt',
  'subtitles/wv_sample.srt': 'srt',
  'telegram/': 'telegram',
  'vibe/': 'turns',
  'whatsapp/': 'whatsapp',
}

/** Files that no product names, and the reason given. */
const unnamed: readonly [RegExp, RegExp][] = [
  [
    /^documented-shapes\/(autogen|helm|lex|lm_eval|openai_evals|pydantic_ai|rasa|semantic_kernel|voiceflow)/,
    /expected a transcript, found/,
  ],
  [/^(adk\/simple_test2_old|droid\/as_stream|llamafactory\/v1_dpo)/, /expected a transcript, found/],
  [/^openclaw\/crux1/, /expected events user\.message/],
  [/^signal\//, /Give one JSON document/],
  [/^opencode\/.*\/migration$/, /found the number 2/],
  [/^opencode\/.*\/session\//, /expected the messages of a session beside it/],
  [/^promptflow\/chat-basic/, /keys question, chat_history, statements/],
  [/^promptflow\/chat_history_with_tools/, /keys inputs, outputs/],
]

const files = filesIn(productsFolder)
const refusalOf = (file: string) => unnamed.find(([name]) => name.test(file))?.[1]
const named = files.filter((file) => refusalOf(file) === undefined)
const expectedOf = (file: string) =>
  expected[
    Object.keys(expected)
      .filter((start) => file.startsWith(start))
      .sort((a, b) => b.length - a.length)[0] ?? ''
  ]

async function foundIn(file: string): Promise<string | undefined> {
  try {
    return (await readReal(file, {}, productsFolder)).format
  } catch (error) {
    return error instanceof TranscriptFileError ? error.problems[0]?.product : String(error)
  }
}

describe.skipIf(productsFolder === undefined)(`every real file of a product${reason}`, () => {
  it.each(named.map(titled))('is read as its format, or refused by its product: %s', async (_, file) => {
    expect(await foundIn(file)).toBe(expectedOf(file))
  })

  it.each(files.filter(refusalOf).map(titled))('is refused with a reason: %s', async (_, file) => {
    await expect(readReal(file, {}, productsFolder)).rejects.toThrow(refusalOf(file))
  })

  it.each(named.filter((file) => !/^an? /.test(expectedOf(file) ?? '') && !file.endsWith('.eval')).map(titled))(
    'is seen as no other format by its first 64 KB: %s',
    (_, file) => {
      const head = readFileSync(join(productsFolder ?? '', file)).subarray(0, 65_536)
      // A format inside a wrapping value is only found by reading.
      expect([expectedOf(file), undefined]).toContain(detect(head)?.format)
    },
  )
})
