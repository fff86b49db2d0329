import { noAnnotator, type PolicyJson, policyNames } from '@svc/checks'
import { isKeyRefusal, type SvcClient } from '@svc/client'
import { escapeLine, grouped, shellLine } from '@svc/text'
import type { Command } from 'commander'
import {
  changeUserFile,
  checkBaseUrl,
  connect,
  formsOf,
  loadSettings,
  masked,
  profileIn,
  type Resolved,
  requireUserFile,
  type Settings,
  type Sourced,
  withProfile,
} from '../config/index.js'
import { agrees, type Context, canAsk } from '../context.js'
import { CliError, exit } from '../exit.js'
import { refuseUnwritableFile, writeOut } from '../io/index.js'
import { confirmForm, givenKey, type KeyStatus, verify } from '../keys.js'
import { cell, printJson } from '../output/index.js'
import { isProjectId } from '../project.js'
import { settings as declared, namesOf, type Surface } from '../settings.js'
import { type Action, examples, type SetAction } from './action.js'
import { texts } from './arguments.js'
import { skillPlace, skillText } from './skill.js'

interface InitFlags {
  baseUrl?: string
  publicBaseUrl?: string
  withKey?: boolean
  project?: string
  createProject?: string
  annotator?: string
  path?: readonly string[]
  force?: boolean
  like?: string
}

const [policyFile] = policyNames
/** The place in which an editor finds the keys of a policy, once this package is installed in the project. */
const schemaFile = './node_modules/@svc/cli/svc.checks.schema.json'

/** Leads from nothing to a checked setup. Everything is checked before the first thing is written. */
const init: Action<[], InitFlags> = async (context, _, flags) => {
  const { io, say } = context
  if (flags.project !== undefined && flags.createProject !== undefined)
    throw new CliError(exit.usage, '--project and --create-project cannot be used together.', {
      hint: 'use one of them',
    })
  const settings = await loadSettings(io, context.flags, say, { mayBeNew: true })
  const user = requireUserFile(settings)
  await refuseUnwritableFile(io, 'the settings', user.path)
  if (flags.annotator !== undefined || flags.path !== undefined) refuseOtherPolicy(context, flags)
  const addresses = await addressesOf(context, settings, flags)
  const surfaces = (['annotation', 'workspace'] as const).filter((surface) => addresses[namesOf[surface].baseUrl])
  const key = await newKeyOf(context, settings, surfaces, flags)
  const chosen = withGiven(settings, addresses, key)
  const keyStatus = await verifyAll(context, chosen, surfaces)
  const { client, close } = connect(io, context.flags, chosen)
  try {
    const project = addresses.publicBaseUrl ? await projectOf(context, client, settings, flags) : undefined
    const seen = await seenOf(context, flags, settings)
    const policy = addresses.baseUrl ? await policyOf(context, client, flags) : undefined
    const id =
      project === undefined || 'id' in project
        ? project?.id
        : (await client.projects.create({ name: project.create }, context.call())).id
    // A key for both surfaces replaces all that were there.
    const newKey = key !== undefined && { apiKey: key, annotationApiKey: undefined, workspaceApiKey: undefined }
    const change = {
      ...addresses,
      ...(id && { project: id }),
      ...newKey,
      ...seen,
    }
    await changeUserFile(io, user.path, (now) => withProfile(now, settings.profile, change))
    if (policy)
      await io.writeFile(io.resolve(policyFile), [`${JSON.stringify(policy, null, 2)}\n`], flags.force === true)
    if (context.flags.json) {
      printJson(context, {
        schema: 'svc/init@1',
        profile: settings.profile,
        file: user.path,
        key: key === undefined ? null : masked(key),
        key_status: keyStatus,
        base_url: addresses.baseUrl ?? null,
        public_base_url: addresses.publicBaseUrl ?? null,
        project: id ?? null,
        policy: policy ? policyFile : null,
        annotator: policy?.annotator ?? null,
      })
    }
    say(`stored the settings in profile ${settings.profile} of ${user.path}`)
    if (policy) say(`wrote ${policyFile}`)
    await offerSkill(context)
    for (const next of nextCommands(policy?.paths, id)) say(`next: ${next}`)
  } finally {
    await close()
  }
}

/** Offer to write the skill for agents, where the project has a folder of one. */
async function offerSkill(context: Context): Promise<void> {
  const { io, say } = context
  const place = canAsk(context) ? skillPlace(io) : undefined
  if (place === undefined || !(await agrees(context, `Write how agents use svc to ${place}?`))) return
  await writeOut(io, 'the skill', place, [await skillText(io)])
  say(`wrote ${place}`)
}

/** A policy file is only replaced with `--force`. That is known before anything is asked. */
function refuseOtherPolicy({ io }: Context, { force }: InitFlags): void {
  const other = policyNames.find((name) => io.isThere(io.resolve(name)) && !(force && name === policyFile))
  if (other === undefined) return
  const hint = other === policyFile ? 'add --force to replace it' : 'keep it, and omit --annotator and --path'
  throw new CliError(exit.usage, `${other} already exists.`, { hint })
}

type Addresses = Partial<Record<'baseUrl' | 'publicBaseUrl', string>>

/** The base URLs: those of the flags, else of the settings, else asked for. At least one is needed. */
async function addressesOf(context: Context, settings: Settings, flags: InitFlags): Promise<Addresses> {
  const questions = {
    baseUrl: 'Base URL of the annotation surface (empty: none): ',
    publicBaseUrl: 'Base URL of the workspace surface, with its version prefix (empty: none): ',
  } as const
  const addresses: Addresses = {}
  for (const name of ['baseUrl', 'publicBaseUrl'] as const) {
    const set = flags[name] ?? settings[name]?.value
    const value = set ?? (canAsk(context) ? (await context.io.ask(questions[name], false)).trim() : '')
    if (value === '') continue
    checkBaseUrl(name, value)
    addresses[name] = value
  }
  if (Object.keys(addresses).length > 0) return addresses
  throw new CliError(exit.usage, 'Missing base URL.', {
    hint: `add --base-url and --public-base-url, or set ${declared.baseUrl.variable} and ${declared.publicBaseUrl.variable}`,
  })
}

/** A key to store; undefined if the settings have one for each surface. */
async function newKeyOf(
  context: Context,
  settings: Settings,
  surfaces: readonly Surface[],
  { withKey = false }: InitFlags,
): Promise<string | undefined> {
  if (!withKey && surfaces.every((surface) => settings[namesOf[surface].key])) return undefined
  const key = await givenKey(context, withKey, 'svc init')
  for (const form of formsOf(key)) context.keys.add(form)
  await confirmForm(context, key, surfaces.length === 1 ? (surfaces[0] ?? 'both') : 'both', false)
  return key
}

function withGiven(settings: Settings, addresses: Addresses, key: string | undefined): Resolved {
  const given = (value: string): Sourced => ({ value, origin: { layer: 'flag', from: 'svc init' } })
  return {
    ...settings,
    ...(addresses.baseUrl && { baseUrl: given(addresses.baseUrl) }),
    ...(addresses.publicBaseUrl && { publicBaseUrl: given(addresses.publicBaseUrl) }),
    ...(key !== undefined && { annotationApiKey: given(key), workspaceApiKey: given(key) }),
  }
}

async function verifyAll(context: Context, settings: Resolved, surfaces: readonly Surface[]) {
  const groups = grouped(surfaces, (surface) => settings[namesOf[surface].key]?.value ?? '')
  const statuses = []
  for (const [key, of] of groups) statuses.push(await verify(context, settings, key, of))
  return Object.assign({}, ...statuses) as Partial<Record<Surface, KeyStatus>>
}

/** The usual name of a file of `svc contract --save`. */
const savedFile = 'service.json'

/** The settings that follow from a saved service: the one that a flag names, or one in this folder if the user agrees. */
async function seenOf(context: Context, { like }: InitFlags, { user, profile }: Settings): Promise<object> {
  const { io, say } = context
  const isThere = like === undefined && canAsk(context) && io.isThere(io.resolve(savedFile))
  const path = like ?? (isThere ? savedFile : undefined)
  if (path === undefined) return {}
  const { readSavedService, settingsFrom } = await import('../saved-service.js')
  const { settings, seen } = settingsFrom(await readSavedService(io, path), io.resolve(path))
  const text = Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
  // The values of an earlier saved service do not apply to this one.
  const earlier = user?.settings && profileIn(user.settings, profile)?.seen
  const without = earlier === undefined ? {} : { listLag: undefined, stamp: undefined, seen: undefined }
  if (text === '') {
    say(`note: ${path} asks for no other settings than the defaults`)
    return without
  }
  if (like === undefined && !(await agrees(context, `Keep ${text} from ${path}?`))) return {}
  say(`kept ${text} from ${path}`)
  return { ...without, ...settings, seen }
}

type Chosen = { id: string } | { create: string } | undefined

/** The project: that of the flags, else of the settings, else one of the list, or a new one. */
async function projectOf(context: Context, client: SvcClient, settings: Settings, flags: InitFlags): Promise<Chosen> {
  if (flags.createProject !== undefined) return { create: flags.createProject }
  const named = flags.project ?? settings.project?.value
  if (named !== undefined) return existing(context, client, named)
  if (!canAsk(context)) return undefined
  const listed = await client.projects.list({ limit: 20 }, context.call()).catch((error) => {
    // A key that may only write has no list.
    if (mayNotRead(error)) return { data: [] }
    throw error
  })
  const names = listed.data.map(({ id, name }) => `${escapeLine(id)}  ${escapeLine(cell(name))}`)
  const answer = await choose(context, 'Project', names, 'an id, or a name to create one; empty: none')
  if (answer === '') return undefined
  const picked = listed.data[Number(answer) - 1]
  if (picked) return { id: picked.id }
  return isProjectId(answer) ? existing(context, client, answer) : { create: answer }
}

async function existing(context: Context, client: SvcClient, id: string): Promise<Chosen> {
  if (!isProjectId(id))
    throw new CliError(exit.usage, `Not a project id: "${id}".`, { hint: 'a project id is hp- and a UUID' })
  await client.projects.get(id, context.call()).catch((error) => {
    if (!mayNotRead(error)) throw error
  })
  return { id }
}

const mayNotRead = (error: unknown): boolean => isKeyRefusal(error) && error.kind === 'permission'

/** The content of a new policy file; undefined without paths or if there is one already. */
async function policyOf(context: Context, client: SvcClient, flags: InitFlags) {
  const { io, say } = context
  const asks = canAsk(context)
  if (!flags.force && io.isThere(io.resolve(policyFile))) {
    say(`note: ${policyFile} already exists and stays as it is`)
    return undefined
  }
  const question = 'Files or folders to check, separated by blanks (empty: no policy file): '
  const paths = flags.path ?? (asks ? (await io.ask(question, false)).split(/\s+/).filter(Boolean) : [])
  if (paths.length === 0 && flags.annotator === undefined) return undefined
  if (paths.length === 0 || (flags.annotator === undefined && !asks)) {
    throw new CliError(exit.usage, 'A policy file needs an annotator and a path.', {
      hint: 'add --annotator and --path, or omit both',
    })
  }
  for (const path of paths) {
    if (/[*?[\]{}]/.test(path) || io.isThere(io.resolve(path))) continue
    throw new CliError(exit.input, `${path}: no such file or folder.`, { hint: 'give a path from this folder' })
  }
  const listed = await client.annotators.list(context.call())
  const ids = listed.map(({ id }) => id)
  const answer = flags.annotator ?? (await choose(context, 'Annotator', ids.map(escapeLine), 'an id'))
  const annotator = flags.annotator ?? ids[Number(answer) - 1] ?? answer
  if (ids.includes(annotator)) return { $schema: schemaFile, annotator, paths: [...paths] } satisfies PolicyJson
  throw noAnnotator('unlisted_annotator', annotator, listed)
}

async function choose({ io, say }: Context, what: string, items: readonly string[], other: string): Promise<string> {
  for (const [at, item] of items.entries()) say(`${String(at + 1).padStart(3)}  ${item}`)
  const number = items.length > 0 ? `1 to ${items.length}, ` : ''
  return (await io.ask(`${what} (${number}${other}): `, false)).trim()
}

const nextCommands = (paths: readonly string[] | undefined, project: string | undefined): string[] => [
  ...(paths ? ['svc check --dry-run', 'svc check'] : []),
  ...(project ? [shellLine(['svc', 'upload', paths?.[0] ?? 'transcripts', '--dry-run'])] : []),
  'svc doctor',
]

export function initCommand(command: Command, setAction: SetAction): void {
  command
    .option('--base-url <url>', 'base URL of the annotation surface')
    .option('--public-base-url <url>', 'base URL of the workspace surface, with its version prefix')
    .option('--with-key', 'read the key from standard input, even from a terminal')
    .option('--project <id>', 'project of your uploads')
    .option('--create-project <name>', 'create a project with this name')
    .option('--annotator <id>', `annotator of ${policyFile}`)
    .option('--path <path>', `transcripts of ${policyFile}; repeatable`, texts)
    .option('--like <file>', 'keep the list lag and the stamps that follow from a file of svc contract --save')
    .option('--force', `replace ${policyFile}`)
    .addHelpText(
      'after',
      `
Asks for what no flag, variable or profile gives, checks it against the service, and
stores it in your profile. Without a terminal it asks nothing.
${examples('svc init', 'svc init --base-url "$SVC_BASE_URL" --with-key < key.txt', 'svc init --annotator structural --path transcripts')}`,
    )
  setAction(command, init)
}
