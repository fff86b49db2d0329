import { nearest } from '@svc/text'
import { wordMap } from '../json/index.js'
import { type Losses, type Role, roles, shortened } from '../model/index.js'
import { columnFields, normalizedName } from '../records/index.js'

const aliases = wordMap<Role>({
  user: 'user human customer client visitor end_user enduser caller prompter lead contact guest requester usr',
  assistant: 'assistant ai bot chatbot model gpt chatgpt llm ai_assistant virtual_assistant voicebot ai_agent',
  human_agent: 'human_agent agent operator admin support representative rep staff advisor teammate employee',
  system: 'system developer trigger automation',
  tool: 'tool function tool_result function_response observation',
})

/**
 * The role for a name from a table, help desk or data set, in any case: `customer` is the user, `bot` the assistant,
 * and `agent` a human agent.
 *
 * @param chosen roles chosen by the user, such as `{ 'role:agent': 'assistant' }`, which take precedence; `role:*` is that of
 * names without a role
 */
export function aliasedRole(spelling: unknown, chosen: Readonly<Record<string, string>> = {}): Role | undefined {
  if (typeof spelling !== 'string') return undefined
  const name = spelling.trim()
  const own = `role:${name}`
  const speakers = speakersOf.get(chosen)
  if (speakers && speakers.size < mostSpeakers) speakers.add(name)
  if (Object.hasOwn(chosen, own)) return roleOf(chosen[own] ?? '')
  return roleOf(spelling) ?? (name === '' ? undefined : roleOf(chosen['role:*'] ?? ''))
}

/** The name of a speaker whose role the user chose by it: metadata of the message, because the role no longer says it. */
export function chosenSpeaker(spelling: string): { speaker?: string } {
  const name = spelling.trim()
  return name === '' || roleOf(name) !== undefined ? {} : { speaker: name }
}

/** Count the name of a role beside the one that is read, if it is that of another role, or of none. */
export function countOtherRole(spelling: unknown, role: Role, losses: Losses): void {
  if (spelling === undefined || spelling === null || aliasedRole(spelling) === role) return
  losses.add('changed', 'role of a message', `a field beside it says ${role}`)
}

/**
 * The name of a role by a flag, which is true or false; any other value is returned, and has no role.
 */
export const roleByFlag = (flag: unknown, ifTrue: string, ifFalse: string): unknown =>
  flag === true ? ifTrue : flag === false ? ifFalse : flag

/** Count a message whose role no field names, and which is read with the given one. */
export function countUnknownRole(role: Role, losses: Losses): void {
  losses.add('changed', 'role of a message', `no field names it; read as ${role}`)
}

/** The names that were looked for in the roles that a user chose. */
const speakersOf = new WeakMap<object, Set<string>>()
const mostSpeakers = 10_000

/** Note each name that is looked for in these roles, which are those of one file. */
export function noteSpeakers(chosen: object): void {
  speakersOf.set(chosen, new Set())
}

/**
 * The problem of a chosen role whose name nobody has, with the nearest name; undefined if there is none.
 *
 * @param fields the chosen roles, such as `role:Ann`
 * @param hasOthers true for one of several texts, which have other speakers: a name is then wrong only if there is a near one
 */
export function unknownSpeaker(
  chosen: Readonly<Record<string, string>>,
  fields: readonly string[],
  hasOthers: boolean,
): string | undefined {
  const names = [...(speakersOf.get(chosen) ?? [])]
  if (names.length === mostSpeakers) return undefined
  const others = names.filter((name) => !Object.hasOwn(chosen, `role:${name}`))
  for (const field of fields) {
    const name = /^role:(?!\*$)(.+)$/.exec(field)?.[1]
    if (name === undefined || names.includes(name)) continue
    const meant = nearest(name, others)
    if (meant === undefined && hasOthers) continue
    const advice =
      meant === undefined ? '' : `; did you mean --map ${JSON.stringify(`role:${meant}=${chosen[field]}`)}?`
    return `expected a speaker ${JSON.stringify(name)}, found none${advice}`
  }
  return undefined
}

/** Somebody who speaks in a conversation; `role`: undefined if the name does not say it. */
export interface Speaker {
  name: string
  role: Role | undefined
  text: unknown
}

/** The end of a message about a speaker without a role: how to map the name. The role is suggested if the turns show it. */
export function roleHint(name: string, speakers: readonly Speaker[]): string {
  if (name === '') return ''
  const role = roleShown(name, speakers)
  const map = `--map ${JSON.stringify(`role:${shortened(name, 40)}=${role ?? 'ROLE'}`)}`
  return `. Map it: ${map}${role ? '' : `, with ROLE ${rolesText}`}`
}

/** As in `user, assistant or tool`. */
export const rolesText = `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`

/** A map that cannot be used: its field, what is expected, and what was found in its place. */
export interface WrongMap {
  /** The field that is mapped, such as `role:Ann`. */
  field: string
  /** What could stand there, as in `the role user, assistant or tool`. */
  expected: string
  /** What stands there: the unknown field, or the word that is no role. */
  found: string
}

/** The first of the maps of a user that no file can be read with: of an unknown field, or to a word that is no role. */
export function wrongMap(columns: Readonly<Record<string, string>>): WrongMap | undefined {
  const fields: readonly string[] = columnFields
  for (const [field, value] of Object.entries(columns)) {
    const isRole = /^role:./.test(field)
    if (isRole && roleOf(value) === undefined) return { field, expected: `the role ${rolesText}`, found: value }
    if (!isRole && !fields.includes(field))
      return { field, expected: `one of ${fields.join(', ')}, or role:NAME`, found: field }
  }
  return undefined
}

const bots = /bot\b|^robo|\b(?:ai|assistant|gpt|llm|model)\b/i

/** True for a name that says that no person has it. */
export const namesBot = (name: string): boolean => bots.test(name.replaceAll(/[_-]+/g, ' '))

/** The role that the turns show: the assistant answers, and the user asks first or is answered. */
export function roleShown(name: string, speakers: readonly Speaker[]): Role | undefined {
  const talkers = speakers.filter(({ role }) => role !== 'system' && role !== 'tool')
  const isAnswer = (role: Role | undefined) => role === 'assistant' || role === 'human_agent'
  const isBeside = (step: number, isRole: (role: Role | undefined) => boolean) =>
    talkers.some((each, at) => each.name === name && isRole(talkers[at + step]?.role))
  if (isBeside(-1, (role) => role === 'user') || namesBot(name)) return 'assistant'
  if (talkers.some(({ role }) => role === 'user')) return undefined
  // Of several names without a role, also a tool or a colleague may stand before an answer.
  const isOnly = talkers.every((each) => each.role !== undefined || each.name === name)
  if (isBeside(1, isAnswer) && (isOnly || talkers[0]?.name === name)) return 'user'
  // Without any known speaker, a question at the beginning is of the user, and another one answers it.
  const [first] = talkers
  const asks = ({ text }: Speaker) => typeof text === 'string' && /[?？]\s*$/.test(text)
  if (!first || first.role !== undefined || !asks(first)) return undefined
  if (first.name === name) return 'user'
  return talkers.some((each) => each.name === name && asks(each)) ? undefined : 'assistant'
}

function roleOf(spelling: string): Role | undefined {
  return aliases.get(spelling) ?? aliases.get(normalizedName(spelling))
}
