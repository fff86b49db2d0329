import { CliError, exit } from '../exit.js'

/** Refuses standard input where it is named twice: it can be read once. */
export function refuseStdinTwice(paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length > 1)
    throw new CliError(exit.usage, 'Standard input is named twice.', { hint: 'give - once' })
}

/** Whether a path that nothing stands at is a pattern. */
export const isPattern = (path: string): boolean => /[*?[\]{}]/.test(path)

/** A folder without separators behind its name. */
export const trimmed = (path: string): string => path.replace(/(?<=[^/\\])[/\\]+$/, '')
