// Written by test/features/formats/readers.test.ts with `vitest -u`.
import { adk } from './adk/adk.js'
import { adkEvaluation } from './adk-evaluation/adk-evaluation.js'
import { aiStudio } from './ai-studio/ai-studio.js'
import { aider } from './aider/aider.js'
import { amazonConnect } from './amazon-connect/amazon-connect.js'
import { amp } from './amp/amp.js'
import { anthropicManagedAgents } from './anthropic-managed-agents/anthropic-managed-agents.js'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.js'
import { antigravity } from './antigravity/antigravity.js'
import { arena } from './arena/arena.js'
import { atif } from './atif/atif.js'
import { bedrock } from './bedrock/bedrock.js'
import { botFramework } from './bot-framework/bot-framework.js'
import { ccai } from './ccai/ccai.js'
import { chatgptExport } from './chatgpt-export/chatgpt-export.js'
import { claudeAiExport } from './claude-ai-export/claude-ai-export.js'
import { claudeAgentSdk } from './claude-code/agent-sdk.js'
import { claudeCode } from './claude-code/claude-code.js'
import { cline } from './cline/cline.js'
import { codexExec } from './codex/exec.js'
import { codex } from './codex/rollout.js'
import { continueSession } from './continue/continue.js'
import { copilotChat } from './copilot/chat.js'
import { copilotReplay } from './copilot/replay.js'
import { copilotCli } from './copilot-cli/copilot-cli.js'
import { cursorChat } from './cursor/chat.js'
import { cursor } from './cursor/cursor.js'
import { deepeval } from './deepeval/deepeval.js'
import { deepseek } from './deepseek/deepseek.js'
import { dialogues } from './dialogues/dialogues.js'
import { discord } from './discord/discord.js'
import { examples } from './examples/examples.js'
import { geminiActivity } from './gemini-activity/gemini-activity.js'
import { geminiApi } from './gemini-api/gemini-api.js'
import { geminiCli } from './gemini-cli/gemini-cli.js'
import { geminiCliStream } from './gemini-cli-stream/gemini-cli-stream.js'
import { genesys } from './genesys/genesys.js'
import { goose } from './goose/goose.js'
import { grok } from './grok/grok.js'
import { grokCli } from './grok-cli/grok-cli.js'
import { haystack } from './haystack/haystack.js'
import { chatwoot } from './help-desk/chatwoot.js'
import { crisp } from './help-desk/crisp.js'
import { freshdesk } from './help-desk/freshdesk.js'
import { front } from './help-desk/front.js'
import { gorgias } from './help-desk/gorgias.js'
import { helpScout } from './help-desk/help-scout.js'
import { hubspot } from './help-desk/hubspot.js'
import { intercom } from './help-desk/intercom.js'
import { livechat } from './help-desk/livechat.js'
import { sunshine } from './help-desk/sunshine.js'
import { twilio } from './help-desk/twilio.js'
import { zendesk } from './help-desk/zendesk.js'
import { hermes } from './hermes/hermes.js'
import { inspect } from './inspect/inspect.js'
import { kimi } from './kimi/kimi.js'
import { kiro } from './kiro/kiro.js'
import { langchain } from './langchain/langchain.js'
import { librechat } from './librechat/librechat.js'
import { livekit } from './livekit/livekit.js'
import { liveperson } from './liveperson/liveperson.js'
import { llamaindex } from './llamaindex/llamaindex.js'
import { messenger } from './messenger/messenger.js'
import { mistralVibe } from './mistral-vibe/mistral-vibe.js'
import { mtBench } from './mt-bench/mt-bench.js'
import { turns, upload } from './native/native.js'
import { oasst } from './oasst/oasst.js'
import { openWebui } from './open-webui/open-webui.js'
import { openaiChat } from './openai/chat.js'
import { openaiResponses } from './openai/responses.js'
import { openaiStream } from './openai/stream.js'
import { openaiAssistants } from './openai-assistants/openai-assistants.js'
import { openaiRealtime } from './openai-realtime/openai-realtime.js'
import { opencode } from './opencode/opencode.js'
import { opencodeRun } from './opencode/run.js'
import { openhands } from './openhands/openhands.js'
import { pairs } from './pairs/pairs.js'
import { pi } from './pi/pi.js'
import { preferences } from './preferences/preferences.js'
import { promptflow } from './promptflow/promptflow.js'
import { promptfoo } from './promptfoo/promptfoo.js'
import { qwenCode } from './qwen-code/qwen-code.js'
import { ragas } from './ragas/ragas.js'
import { sessionTraces } from './session-traces/session-traces.js'
import { sharegpt } from './sharegpt/sharegpt.js'
import { sillyTavern } from './silly-tavern/silly-tavern.js'
import { slack } from './slack/slack.js'
import { specstory } from './specstory/specstory.js'
import { amazonTranscribe } from './speech/amazon-transcribe.js'
import { googleSpeech } from './speech/google-speech.js'
import { srt } from './subtitles/srt.js'
import { webvtt } from './subtitles/webvtt.js'
import { sweAgent } from './swe-agent/swe-agent.js'
import { table } from './table/table.js'
import { tauBench } from './tau-bench/tau-bench.js'
import { tau2 } from './tau2/tau2.js'
import { telegram } from './telegram/telegram.js'
import { markdownChat } from './texts/markdown-chat.js'
import { speakerLines } from './texts/speaker-lines.js'
import { whatsapp } from './texts/whatsapp.js'
import { toolbench } from './toolbench/toolbench.js'
import { braintrust } from './tracing/braintrust.js'
import { datadog } from './tracing/datadog.js'
import { helicone } from './tracing/helicone.js'
import { langfuse } from './tracing/langfuse.js'
import { langsmith } from './tracing/langsmith.js'
import { mlflow } from './tracing/mlflow.js'
import { otel } from './tracing/otel.js'
import { posthog } from './tracing/posthog.js'
import { weave } from './tracing/weave.js'
import { uiMessages } from './ui-messages/ui-messages.js'
import { ultrafeedback } from './ultrafeedback/ultrafeedback.js'
import { bland } from './voice/bland.js'
import { elevenlabs } from './voice/elevenlabs.js'
import { retell } from './voice/retell.js'
import { vapi } from './voice/vapi.js'

/** Every format in this folder, in the order of the ids. The order gives no priority: a file of two formats is refused. */
export const readers = [
  adk,
  adkEvaluation,
  aiStudio,
  aider,
  amazonConnect,
  amazonTranscribe,
  amp,
  anthropicManagedAgents,
  anthropicMessages,
  antigravity,
  arena,
  atif,
  bedrock,
  bland,
  botFramework,
  braintrust,
  ccai,
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
  copilotReplay,
  crisp,
  cursor,
  cursorChat,
  datadog,
  deepeval,
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
  geminiCliStream,
  genesys,
  googleSpeech,
  goose,
  gorgias,
  grok,
  grokCli,
  haystack,
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
  livechat,
  livekit,
  liveperson,
  llamaindex,
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
  opencodeRun,
  openhands,
  otel,
  pairs,
  pi,
  posthog,
  preferences,
  promptflow,
  promptfoo,
  qwenCode,
  ragas,
  retell,
  sessionTraces,
  sharegpt,
  sillyTavern,
  slack,
  speakerLines,
  specstory,
  srt,
  sunshine,
  sweAgent,
  table,
  tauBench,
  tau2,
  telegram,
  toolbench,
  turns,
  twilio,
  uiMessages,
  ultrafeedback,
  upload,
  vapi,
  weave,
  webvtt,
  whatsapp,
  zendesk,
] as const
