// Written by test/formats/readers.test.ts with `vitest -u`.
import { amp } from './agents/amp.js'
import { antigravity } from './agents/antigravity.js'
import { cline } from './agents/cline.js'
import { continueSession } from './agents/continue.js'
import { cursor } from './agents/cursor.js'
import { goose } from './agents/goose.js'
import { grokCli } from './agents/grok-cli.js'
import { hermes } from './agents/hermes.js'
import { kimi } from './agents/kimi.js'
import { kiro } from './agents/kiro.js'
import { mistralVibe } from './agents/mistral-vibe.js'
import { opencode } from './agents/opencode.js'
import { pi } from './agents/pi.js'
import { qwenCode } from './agents/qwen-code.js'
import { bedrock } from './amazon/bedrock.js'
import { claudeAiExport } from './anthropic/claude-ai-export.js'
import { anthropicManagedAgents } from './anthropic/managed-agents.js'
import { anthropicMessages } from './anthropic/messages.js'
import { aiStudio } from './chats/ai-studio.js'
import { deepseek } from './chats/deepseek.js'
import { discord } from './chats/discord.js'
import { geminiActivity } from './chats/gemini-activity.js'
import { grok } from './chats/grok.js'
import { librechat } from './chats/librechat.js'
import { messenger } from './chats/messenger.js'
import { openWebui } from './chats/open-webui.js'
import { sillyTavern } from './chats/silly-tavern.js'
import { slack } from './chats/slack.js'
import { telegram } from './chats/telegram.js'
import { claudeAgentSdk } from './claude-code/agent-sdk.js'
import { claudeCode } from './claude-code/claude-code.js'
import { codexExec } from './codex/exec.js'
import { codex } from './codex/rollout.js'
import { copilotChat } from './copilot/chat.js'
import { copilotCli } from './copilot/cli.js'
import { arena } from './datasets/arena.js'
import { dialogues } from './datasets/dialogues.js'
import { examples } from './datasets/examples.js'
import { mtBench } from './datasets/mt-bench.js'
import { oasst } from './datasets/oasst.js'
import { pairs } from './datasets/pairs.js'
import { preferences } from './datasets/preferences.js'
import { sharegpt } from './datasets/sharegpt.js'
import { table } from './datasets/table.js'
import { atif } from './evaluations/atif.js'
import { inspect } from './evaluations/inspect.js'
import { promptfoo } from './evaluations/promptfoo.js'
import { sweAgent } from './evaluations/swe-agent.js'
import { tauBench } from './evaluations/tau-bench.js'
import { tau2 } from './evaluations/tau2.js'
import { langchain } from './frameworks/langchain.js'
import { uiMessages } from './frameworks/ui-messages.js'
import { geminiCli } from './gemini-cli.js'
import { adk } from './google/adk.js'
import { adkEvaluation } from './google/eval-set.js'
import { geminiApi } from './google/gemini-api.js'
import { chatwoot } from './help-desk/chatwoot.js'
import { crisp } from './help-desk/crisp.js'
import { freshdesk } from './help-desk/freshdesk.js'
import { front } from './help-desk/front.js'
import { gorgias } from './help-desk/gorgias.js'
import { helpScout } from './help-desk/help-scout.js'
import { hubspot } from './help-desk/hubspot.js'
import { intercom } from './help-desk/intercom.js'
import { liveperson } from './help-desk/liveperson.js'
import { twilio } from './help-desk/twilio.js'
import { zendesk } from './help-desk/zendesk.js'
import { turns, upload } from './native.js'
import { openaiAssistants } from './openai/assistants.js'
import { openaiChat } from './openai/chat.js'
import { chatgptExport } from './openai/chatgpt-export.js'
import { openaiRealtime } from './openai/realtime.js'
import { openaiResponses } from './openai/responses.js'
import { openaiStream } from './openai/stream.js'
import { openhands } from './openhands/openhands.js'
import { srt } from './subtitles/srt.js'
import { webvtt } from './subtitles/webvtt.js'
import { aider } from './texts/aider.js'
import { markdownChat } from './texts/markdown-chat.js'
import { speakerLines } from './texts/speaker-lines.js'
import { specstory } from './texts/specstory.js'
import { whatsapp } from './texts/whatsapp.js'
import { braintrust } from './tracing/braintrust.js'
import { datadog } from './tracing/datadog.js'
import { helicone } from './tracing/helicone.js'
import { langfuse } from './tracing/langfuse.js'
import { langsmith } from './tracing/langsmith.js'
import { mlflow } from './tracing/mlflow.js'
import { otel } from './tracing/otel.js'
import { posthog } from './tracing/posthog.js'
import { weave } from './tracing/weave.js'
import { amazonConnect } from './voice/amazon-connect.js'
import { bland } from './voice/bland.js'
import { elevenlabs } from './voice/elevenlabs.js'
import { genesys } from './voice/genesys.js'
import { livekit } from './voice/livekit.js'
import { retell } from './voice/retell.js'
import { vapi } from './voice/vapi.js'

/** Every format in this folder, in the order of the ids. The order gives no priority: a file of two formats is refused. */
export const readers = [
  adk,
  adkEvaluation,
  aiStudio,
  aider,
  amazonConnect,
  amp,
  anthropicManagedAgents,
  anthropicMessages,
  antigravity,
  arena,
  atif,
  bedrock,
  bland,
  braintrust,
  chatgptExport,
  chatwoot,
  claudeAgentSdk,
  claudeAiExport,
  claudeCode,
  cline,
  codex,
  codexExec,
  continueSession,
  copilotChat,
  copilotCli,
  crisp,
  cursor,
  datadog,
  deepseek,
  dialogues,
  discord,
  elevenlabs,
  examples,
  freshdesk,
  front,
  geminiActivity,
  geminiApi,
  geminiCli,
  genesys,
  goose,
  gorgias,
  grok,
  grokCli,
  helicone,
  helpScout,
  hermes,
  hubspot,
  inspect,
  intercom,
  kimi,
  kiro,
  langchain,
  langfuse,
  langsmith,
  librechat,
  livekit,
  liveperson,
  markdownChat,
  messenger,
  mistralVibe,
  mlflow,
  mtBench,
  oasst,
  openWebui,
  openaiAssistants,
  openaiChat,
  openaiRealtime,
  openaiResponses,
  openaiStream,
  opencode,
  openhands,
  otel,
  pairs,
  pi,
  posthog,
  preferences,
  promptfoo,
  qwenCode,
  retell,
  sharegpt,
  sillyTavern,
  slack,
  speakerLines,
  specstory,
  srt,
  sweAgent,
  table,
  tauBench,
  tau2,
  telegram,
  turns,
  twilio,
  uiMessages,
  upload,
  vapi,
  weave,
  webvtt,
  whatsapp,
  zendesk,
] as const
