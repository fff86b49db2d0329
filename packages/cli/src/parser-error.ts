const askedFor = new Set(['commander.helpDisplayed', 'commander.version'])

/**
 * An error of the command parser; undefined for every other error. Known by its code, so that no parser is loaded. The
 * parser gives the flag and the nearest one only in its message.
 */
export function parserError(error: unknown) {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('commander.')) return undefined
  const code = String(error.code)
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  return {
    /** Help or the version was asked for; it is on stdout already. */
    askedFor: askedFor.has(code),
    /** Help was shown in place of an error. */
    shown: askedFor.has(code) || code === 'commander.help',
    /** The command that was parsed, as in `svc projects list`. */
    command: 'command' in error ? String(error.command) : 'svc',
    message: `${first.replace(/\.$/, '')}.`,
    /** The nearest known word, if there is one. */
    hint: rest.join(' ').replace(/^\((.*)\)$/, '$1') || undefined,
  }
}
