import { type CallOptions, ConnectionError, isKeyRefusal, ServiceError, type SvcClient } from '@svc/client'
import { connect, formOf, type KeyForm, type Resolved, type Sourced } from './config/index.js'
import { agrees, type Context, canAsk, whyNotAsk } from './context.js'
import { exitCodeFor } from './errors.js'
import { CliError, type ExitCode, exit } from './exit.js'
import { namesOf, type Surface } from './settings.js'

export type SurfaceFlag = Surface | 'both'

/** The key to store: typed at a hidden prompt, or from standard input, without white space around it. */
export async function givenKey(context: Context, withKey: boolean, command: string): Promise<string> {
  const { io } = context
  const obstacle = whyNotAsk(context)
  if (!withKey && io.stdinIsTTY && obstacle) {
    throw new CliError(exit.usage, `Cannot ask for the key: ${obstacle}.`, {
      hint: `pass it on standard input: ${command} --with-key < key.txt`,
    })
  }
  const text =
    withKey || !io.stdinIsTTY
      ? new TextDecoder().decode(await io.readStdin())
      : await io.ask('API key (not shown): ', true)
  const key = text.trim()
  if (key !== '') return key
  throw new CliError(exit.input, 'No key was given.', {
    hint: `type it at the prompt, or pass it on standard input: ${command} < key.txt`,
  })
}

/** The form of a key, with a note or a warning. A key with a warning is stored only after confirmation. */
function judge(key: string, surface: SurfaceFlag): { form: KeyForm; note?: string; warning?: string } {
  const form = formOf(key)
  if (form === 'legacy')
    return { form, note: 'This key has the prefix of the service’s former name; it is still accepted.' }
  if (form === 'jwt') {
    return { form, warning: 'It starts with "ey", like a JWT; most endpoints do not accept such tokens.' }
  }
  if (form !== 'other') return { form }
  return surface === 'annotation'
    ? { form, note: 'The format of annotation keys is not published, so this one is stored unchecked.' }
    : {
        form,
        warning: 'It does not start with sk-service-api03- or sk-legacy-api03-, as keys of the workspace surface do.',
      }
}

/** Refuse a key that no request could carry, and an unusual key unless it is forced or confirmed. */
export async function confirmForm(context: Context, key: string, surface: SurfaceFlag, force: boolean): Promise<void> {
  const { form, note, warning } = judge(key, surface)
  if (form === 'unusable') {
    throw new CliError(exit.input, 'The key contains white space, quotes or other characters that no key has.', {
      hint: 'copy only the key, as the dashboard shows it',
    })
  }
  if (note) context.say(`note: ${note}`)
  if (!warning) return
  if (force) return context.say(`note: ${warning}`)
  if (canAsk(context) && (await agrees(context, `${warning} Store it?`))) return
  throw new CliError(exit.input, `The key was not stored. ${warning}`, {
    hint:
      surface === 'annotation'
        ? 'use another key, or add --force'
        : 'use another key, or add --force; for the annotation surface only, add --surface annotation',
  })
}

/** Check a key against the service before it is stored. Throws unless each surface accepts it or has no base URL. */
export async function verify(
  context: Context,
  settings: Resolved,
  key: string,
  surfaces: readonly Surface[],
): Promise<Partial<Record<Surface, KeyStatus>>> {
  const given: Sourced = { value: key, origin: { layer: 'profile', from: 'svc auth login' } }
  const addressed = surfaces.filter((surface) => settings[namesOf[surface].baseUrl])
  for (const surface of surfaces.filter((each) => !addressed.includes(each))) {
    context.say(`note: the base URL of the ${surface} surface is not set, so the key was not checked there`)
  }
  if (addressed.length === 0) return {}
  const candidate = { ...settings, annotationApiKey: given, workspaceApiKey: given }
  const { client, close } = connect(context.io, context.flags, candidate)
  try {
    const answers = await Promise.all(
      addressed.map(async (surface) => [surface, await probe(client, surface, context.call())] as const),
    )
    for (const [surface, probed] of answers) refuse(surface, probed, surfaces.length > 1)
    for (const [surface, { words }] of answers) {
      context.say(`${surface} surface at ${settings[namesOf[surface].baseUrl]?.value}: ${words}`)
    }
    return Object.fromEntries(answers.map(([surface, { standing }]) => [surface, standing]))
  } finally {
    await close()
  }
}

function refuse(surface: Surface, { standing, words, code, error }: Probed, ofBoth: boolean): void {
  if (code === exit.ok) return
  const other = ofBoth
    ? `; \`--surface ${surface === 'annotation' ? 'workspace' : 'annotation'}\` stores it for the other one only`
    : ''
  const isOdd = standing === 'unavailable' || standing === 'unexpected'
  const why = isOdd && error instanceof Error ? error.message : words
  throw new CliError(code, `The key was not stored: ${surface} surface: ${why}`, {
    hint: `${keyStatuses[standing].next}${other}; --no-verify stores it unchecked`,
    cause: error,
  })
}

/** The answers of a surface to a key. Surface A never confirms a key: a key that it does not refuse counts as accepted. */
const keyStatuses = {
  accepted: { words: 'accepted', code: exit.ok, next: '' },
  accepted_without_read: { words: 'accepted, may not read', code: exit.ok, next: '' },
  refused: { words: 'refused (401)', code: exit.auth, next: 'check the key' },
  revoked: { words: 'revoked or disabled (403)', code: exit.auth, next: 'use a key that is not revoked' },
  unavailable: { words: 'the service does not answer', code: undefined, next: 'run it again later' },
  unexpected: { words: 'an unexpected answer', code: exit.refused, next: 'check the base URL' },
} as const

export type KeyStatus = keyof typeof keyStatuses

/** A standing, what it means, and the answer or the failure that it was read from. */
export interface Probed {
  standing: KeyStatus
  words: string
  /** The exit code of a command that needs the key. */
  code: ExitCode
  status?: number
  error?: unknown
}

/** Asks a surface about the client's key, at no cost: nothing is annotated and nothing is written. */
export async function probe(client: SvcClient, surface: Surface, call: CallOptions): Promise<Probed> {
  try {
    if (surface === 'annotation') await client.batches.get('probe', call)
    else await client.projects.list({ limit: 1 }, call)
    return { ...probedAs(surface, 'accepted'), status: 200 }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (error instanceof ConnectionError) return { ...probedAs(surface, 'unavailable', error), error }
    if (!(error instanceof ServiceError)) throw error
    const isOfGateway = error.status === 403 && !isKeyRefusal(error)
    const standing = isOfGateway ? 'unexpected' : standingFor(surface, error.status)
    return { ...probedAs(surface, standing, error), status: error.status, error }
  }
}

function probedAs(surface: Surface, standing: KeyStatus, error?: unknown): Pick<Probed, 'standing' | 'words' | 'code'> {
  const { words, code = exitCodeFor(error) } = keyStatuses[standing]
  const isUnconfirmed = surface === 'annotation' && standing === 'accepted'
  return { standing, words: isUnconfirmed ? `${words} (not refused)` : words, code }
}

/** Batches answer 501 to every key that is good, and a key that may only write is good, too (interface: Authentication). */
function standingFor(surface: Surface, status: number): KeyStatus {
  if (status === 401) return 'refused'
  if (status === 403) return surface === 'annotation' ? 'revoked' : 'accepted_without_read'
  if (surface === 'annotation' && status === 501) return 'accepted'
  return status === 429 || status >= 500 ? 'unavailable' : 'unexpected'
}
