import { wordMap } from '../../json/index.js'
import type { Role } from '../../model/index.js'

const roles = wordMap<Role>({
  user: 'user human you me',
  assistant:
    'assistant ai bot chatbot chatgpt gpt claude gemini copilot grok deepseek perplexity llama mistral qwen kimi cursor llm',
  system: 'system',
  tool: 'tool',
})

/** The role of a label of a chat with a model, such as `You`, `ChatGPT said` or `GPT-4o`; undefined for other names. */
export function roleOfLabel(label: string): Role | undefined {
  const name = withoutSaid(label)
  return roles.get(name.toLowerCase()) ?? (/^(?:gpt|claude|gemini|llama)-\w/i.test(name) ? 'assistant' : undefined)
}

export const withoutSaid = (label: string): string => label.replace(/\s(?:said|says)$/i, '')

/** Labels at the start of a line that name no speaker: levels of logs, headers of mails, signs in prose, facts of a record. */
const others = new Set(
  `trace debug info information notice warn warning error err fatal critical severe panic alert emergency fail failed failure pass
  passed ok skip skipped exception caused stderr stdout from to cc bcc subject date sent received author commit committer merge
  reply-to message-id mime-version content-type host accept cookie url uri http https file line path note notes nb tip hint example
  examples important caution remark remarks summary todo fixme step stage phase chapter section figure table part title name type
  version status description details key value id time address phone email tel fax age price total result results output input
  expected actual added changed fixed removed deprecated security breaking license copyright usage options option default returns
  param params question answer q a see source sources reference references ps edit update`.split(/\s+/),
)

/** True if a label may name a speaker: no level of a log, no header of a mail, no sign in prose. */
export function mayBeName(label: string): boolean {
  const [first = ''] = label.toLowerCase().split(/\s+/)
  if (others.has(label.toLowerCase()) || others.has(first.replace(/[^\p{L}-]/gu, ''))) return false
  return !/[/\\=[\]{}|<>@#$%]|\.[\p{L}\d]|\b(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b/u.test(label)
}
