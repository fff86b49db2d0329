/** How texts begin that Codex puts into the talk as the user's. */
const beginnings = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions',
  '<INSTRUCTIONS>',
  '<turn_aborted>',
  '<user_shell_command>',
  '<permissions',
  '<recommended_plugins>',
  '<hook_prompt',
  '<skill>',
  '<subagent_notification>',
]

/** True if a text of the user's role was put there by the program. */
export function isInjected(text: string): boolean {
  const start = text.trimStart()
  return beginnings.some((beginning) => start.startsWith(beginning))
}
