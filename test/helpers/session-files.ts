/** Lines of a session of Claude Code, one minute after the other from a time. */
export function claudeSession(
  id: string,
  from: string,
  { said = ['Where is it?'], cwd = '/home/me/app', agent = undefined as string | undefined } = {},
): string {
  const start = Date.parse(from)
  const about = { sessionId: id, cwd, isSidechain: agent !== undefined, ...(agent && { agentId: agent }) }
  const lines = said.map((content, index) => ({
    type: index % 2 === 0 ? 'user' : 'assistant',
    uuid: `${id}-${agent ?? ''}${index}`,
    parentUuid: index === 0 ? null : `${id}-${agent ?? ''}${index - 1}`,
    ...about,
    message: { role: index % 2 === 0 ? 'user' : 'assistant', content },
    timestamp: new Date(start + index * 60_000).toISOString(),
  }))
  return jsonl(lines)
}

/** A rollout of Codex with one question. */
export function codexSession(id: string, at: string, text = 'Fix it', cwd = '/home/me/app'): string {
  const message = (role: string, words: string) => ({
    timestamp: at,
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: 'input_text', text: words }] },
  })
  return jsonl([
    { timestamp: at, type: 'session_meta', payload: { id, cwd, cli_version: '0.160.0' } },
    message('user', '<environment_context>\n  <cwd>/home/me/app</cwd>\n</environment_context>'),
    message('user', text),
    message('assistant', 'Done.'),
  ])
}

/** A session document of Gemini CLI, indented as it writes it. */
export function geminiSession(id: string, at: string, projectHash: string, said: readonly string[]): string {
  const messages = said.map((content, index) => ({
    id: `${id}-${index}`,
    timestamp: at,
    type: index % 2 === 0 ? 'user' : 'gemini',
    content,
  }))
  return JSON.stringify({ sessionId: id, projectHash, startTime: at, lastUpdated: at, messages }, null, 2)
}

export const jsonl = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')
