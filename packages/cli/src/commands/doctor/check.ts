import type { ExitCode } from '../../exit.js'

/** The result of one check. No field holds a secret. */
export interface Check {
  name: string
  state: 'ok' | 'warning' | 'problem'
  message: string
  hint?: string
  /** Of a problem: what a command that meets it ends with. */
  exit?: ExitCode
}

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message })
export const warning = (name: string, message: string, hint: string): Check => ({
  name,
  state: 'warning',
  message,
  hint,
})
export const problem = (name: string, exit: ExitCode, message: string, hint: string): Check => ({
  name,
  state: 'problem',
  message,
  hint,
  exit,
})
