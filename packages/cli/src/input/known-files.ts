import type { Chunk } from '@svc/transcripts'
import type { Source } from './sources.js'

const headBytes = 4096

const reports: readonly RegExp[] = [
  /^\{\s*"schema":\s*"svc\/(check|mock-check|comparison|error)@\d+"/,
  /^\{\s*"\$schema":\s*"[^"]*\bsarif-[\d.]+\.json",[^[]{0,200}"runs":\[\{"tool":\{"driver":\{"name":"svc check"/,
  /^\[\s*\{"description":"(?:[^"\\]|\\.)*","check_name":"svc\//,
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="svc (check|report compare)">/,
  /^## svc (check|report compare): /,
]

/** Beginnings that are the same in every report. */
const reportHeads: readonly string[] = [
  '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc check"',
  '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc mock --check"',
  '"path","record","part","name","result","outcome","reasons"',
]

const others: readonly RegExp[] = [
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="svc (transcripts read|report sample)">/,
  /^\{\s*"schema":\s*"svc\/(baseline|annotation-cache|ledger|waiting|reject|config|label)@\d+"/,
  /^\{\s*"\$schema":\s*"[^"]*\bsvc\.checks\.schema\.json"/,
]

export const isReportText = (head: string): boolean =>
  reports.some((beginning) => beginning.test(head)) || reportHeads.some((beginning) => head.startsWith(beginning))

/** True if a text is the beginning of a file that `svc` writes: a report, baseline, cache, ledger or policy. */
export const isOwnText = (head: string): boolean => {
  const text = head.replace(/^\ufeff/, '').trimStart()
  return isReportText(text) || others.some((beginning) => beginning.test(text))
}

/** Files of exports and tools without transcripts: their names, if they have their own, and the fields of their first record. */
const companions: readonly { name?: RegExp; fields: readonly string[] }[] = [
  // ChatGPT
  { name: /^user\.json$/, fields: ['id', 'email'] },
  { name: /^user_settings\.json$/, fields: ['settings'] },
  { name: /^message_feedback\.json$/, fields: ['conversation_id', 'rating'] },
  { name: /^shared_conversations\.json$/, fields: ['conversation_id', 'title'] },
  { name: /^model_comparisons\.json$/, fields: ['metadata', 'input'] },
  { name: /^(group_chats|shopping|sora)\.json$/, fields: [] },
  // claude.ai
  { name: /^users\.json$/, fields: ['uuid', 'full_name'] },
  { name: /^projects\.json$/, fields: ['uuid', 'docs'] },
  { name: /^memories\.json$/, fields: ['account_uuid'] },
  // Claude Code
  { name: /^sessions-index\.json$/, fields: ['version', 'entries'] },
  { name: /^agent-[^/]*\.meta\.json$/, fields: ['agentType'] },
  // Codex
  { name: /^history\.jsonl$/, fields: ['session_id', 'ts', 'text'] },
  { name: /^session_index\.jsonl$/, fields: ['id', 'thread_name'] },
  // Cline, whose file has the name of the session
  { fields: ['session_id', 'workspace_root', 'messages_path'] },
  // Gemini CLI
  { name: /^logs\.json$/, fields: ['sessionId', 'messageId'] },
  // opencode
  { name: /^auth\.json$/, fields: ['type'] },
  // Inspect
  { name: /^(logs|listing)\.json$/, fields: ['eval', 'eval_id'] },
  { name: /^eval-set\.json$/, fields: ['eval_set_id', 'tasks'] },
  // SWE-agent
  { name: /^(all_)?preds\.jsonl?$/, fields: ['model_name_or_path', 'model_patch'] },
]

export type KnownFile = 'file of svc' | 'companion'

/** The kind of a file without transcripts, by its name and content. Of a broken file (`isSound` false) only its beginning counts. */
export async function knownAs(
  source: Pick<Source, 'path' | 'chunks'>,
  isSound: boolean,
): Promise<KnownFile | undefined> {
  const name = source.path.replace(/^.*[/\\]/s, '')
  const head = (await headOf(source)).replace(/^\ufeff/, '').trimStart()
  if (isOwnText(head)) return 'file of svc'
  if (!isSound) return undefined
  if (/^svc\.(checks|config)\.json$/.test(name) && head.startsWith('{')) return 'file of svc'
  const isEmpty = /^(\[\s*\]|\{\s*\})\s*$/.test(head)
  const has = (field: string) => head.includes(`"${field}"`)
  const isKnown = companions.some((each) => {
    const isNamed = each.name?.test(name)
    return isEmpty ? isNamed : isNamed !== false && each.fields.length > 0 && each.fields.every(has)
  })
  return isKnown ? 'companion' : undefined
}

/** True for a file of `--rejects`. */
export const isOfRejects = async (source: Pick<Source, 'chunks'>): Promise<boolean> =>
  /^\{"schema":"svc\/reject@\d+"/.test(await headOf(source))

async function headOf({ chunks }: Pick<Source, 'chunks'>): Promise<string> {
  let head = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunks()) {
    head += decodedText(chunk, decoder)
    if (head.length >= headBytes) break
  }
  return head
}

const decodedText = (chunk: Chunk, decoder: TextDecoder): string => {
  if (typeof chunk === 'string') return chunk.slice(0, headBytes)
  return chunk instanceof Uint8Array ? decoder.decode(chunk.subarray(0, headBytes), { stream: true }) : ''
}
