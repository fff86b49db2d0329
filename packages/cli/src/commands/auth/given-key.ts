import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { canAsk } from '../../settings/can-ask.js'
import { formOf, type KeyForm } from '../../settings/key-form.js'
import type { SurfaceFlag } from './surfaces.js'

/** The key to store: typed unseen on a terminal, else standard input. White space around it is taken away. */
export async function givenKey(context: Context, withKey: boolean): Promise<string> {
  const { io } = context
  if (!withKey && io.stdinIsTTY && !canAsk(context)) {
    throw new CliError(exit.usage, 'The key cannot be asked for here.', {
      hint: 'give it on standard input: svc auth login --with-key < key.txt',
    })
  }
  const text =
    withKey || !io.stdinIsTTY
      ? new TextDecoder().decode(await io.readStdin())
      : await io.ask('API key (not shown): ', true)
  const key = text.trim()
  if (key !== '') return key
  throw new CliError(exit.input, 'No key was given.', {
    hint: 'type it when asked, or give it on standard input: svc auth login < key.txt',
  })
}

/** What to say of a key by its looks: nothing, a note, or why it is not stored unless somebody insists. */
export function judge(key: string, surface: SurfaceFlag): { form: KeyForm; note?: string; doubt?: string } {
  const form = formOf(key)
  if (form === 'legacy')
    return { form, note: 'This is a key of the service’s earlier name (legacy); it is still accepted.' }
  if (form === 'jwt') {
    return { form, doubt: 'It begins with "ey", as a JWT does; such tokens are not supported on most endpoints.' }
  }
  if (form !== 'other') return { form }
  return surface === 'annotation'
    ? { form, note: 'How keys of the annotation surface look is not published, so this one is taken as it is.' }
    : {
        form,
        doubt: 'It begins with neither sk-service-api03- nor sk-legacy-api03-, as keys of the workspace surface do.',
      }
}

/** Refuses a key that no request could carry, and one in doubt unless it is forced or confirmed. */
export async function settleForm(context: Context, key: string, surface: SurfaceFlag, force: boolean): Promise<void> {
  const { form, note, doubt } = judge(key, surface)
  if (form === 'unusable') {
    throw new CliError(exit.input, 'The key holds white space, quotes or other characters that no key has.', {
      hint: 'give the bare key, as the dashboard shows it',
    })
  }
  if (note) context.say(`note: ${note}`)
  if (!doubt) return
  if (force) return context.say(`note: ${doubt}`)
  const confirmed =
    canAsk(context) && /^y(es)?$/i.test((await context.io.ask(`${doubt} Store it? [y/N] `, false)).trim())
  if (confirmed) return
  throw new CliError(exit.input, `The key was not stored. ${doubt}`, {
    hint:
      surface === 'annotation'
        ? 'give another key, or --force'
        : 'give another key, or --force; --surface annotation for that surface alone',
  })
}
