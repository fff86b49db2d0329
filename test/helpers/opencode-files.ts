/** The files of a session in the storage of opencode, by their paths in a folder: a question, a call with its result, an answer. */
export function opencodeSession(
  storage: string,
  { id = 'ses_1', at = '2025-12-31T20:00:00.000Z', said = 'Fix it', cwd = '/home/me/app' } = {},
): Record<string, unknown> {
  const created = Date.parse(at)
  const [asked, answered] = [`msg_${id}_1`, `msg_${id}_2`]
  const message = (name: string, role: string, time: number, more = {}) => ({
    [`${storage}/message/${id}/${name}.json`]: { id: name, sessionID: id, role, time: { created: time }, ...more },
  })
  const part = (messageID: string, name: string, value: object) => ({
    [`${storage}/part/${messageID}/${name}.json`]: { id: name, sessionID: id, messageID, ...value },
  })
  return {
    [`${storage}/session/p1/${id}.json`]: {
      id,
      projectID: 'p1',
      directory: cwd,
      title: said,
      version: '1.0.0',
      time: { created, updated: created + 60_000 },
    },
    ...message(asked, 'user', created),
    ...part(asked, 'prt_1', { type: 'text', text: said }),
    ...message(answered, 'assistant', created + 10_000, { modelID: 'm-1' }),
    ...part(answered, 'prt_2', {
      type: 'tool',
      callID: 'c-1',
      tool: 'bash',
      state: { status: 'completed', input: { command: 'ls' }, output: 'a.ts' },
    }),
    ...part(answered, 'prt_3', { type: 'text', text: 'Done.' }),
  }
}
