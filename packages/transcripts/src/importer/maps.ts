import { aliasedRole, idFieldsOf, namesBot, roleShown, type Speaker } from '../contract/index.js'
import { getOrInsert, isObject } from '../json/index.js'
import { normalizedName, TableRow, usualNamesOf } from '../records/index.js'

/** Fields of a message by the names that hold them, and roles by the names of speakers (`role:Ann`). */
export type Columns = Record<string, string>

/** The speakers that are named one by one, those who say most first; the others get one role. */
const mostOpen = 6

/** Stands in a map for the role of a speaker that the turns do not show. */
export const openRole = 'ROLE'

/** A map with some role for the speakers whose role is open, so that both sides speak, to find out if all else is right. */
export function closed(columns: Columns): Columns {
  const hasUser = columns.user !== undefined || Object.values(columns).includes('user')
  const [first] = Object.entries(columns).flatMap(([field, name]) => (name === openRole && !hasUser ? [field] : []))
  return Object.fromEntries(
    Object.entries(columns).map(([field, name]) => [
      field,
      name !== openRole ? name : field === first ? 'user' : 'human_agent',
    ]),
  )
}

const isOpen = (columns: Columns): boolean => Object.values(columns).includes(openRole)

const sampled = 50
const maxDepth = 3

/** Objects of one kind: the records, and the elements of each list in them by its field. */
function groupsOf(given: readonly unknown[]): object[][] {
  const values = given.map((value) => (value instanceof TableRow ? value.toJSON() : value))
  const groups = new Map<string, object[]>()
  const add = (value: unknown, path: string, depth: number) => {
    if (depth > maxDepth || typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) for (const each of value.slice(0, sampled)) add(each, `${path}[]`, depth + 1)
    else {
      getOrInsert(groups, path, () => []).push(value)
      for (const [key, each] of Object.entries(value)) if (Array.isArray(each)) add(each, `${path}.${key}`, depth + 1)
    }
  }
  for (const value of values.slice(0, sampled)) add(value, '', 0)
  return [...groups.values()]
}

/** The texts of objects by their fields, also of objects in them. */
function textsIn(group: readonly object[]): Map<string, string[]> {
  const texts = new Map<string, string[]>()
  const add = (value: object, path: string) => {
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'string' && each !== '') getOrInsert(texts, path + key, () => []).push(each)
      else if (path === '' && isObject(each)) add(each, `${key}.`)
    }
  }
  for (const each of group) add(each, '')
  return texts
}

const asks = /^q$|quer|quest|prompt|input|user|human|instruct|request|asks?$|customer|client/i
const answers = /^a$|answer|repl|respon|output|complet|assist|bot|model|generat|result|agent/i

/** Last words of names of fields that hold no words of a person: `created_at`, `createdAt`, but not `said`. */
const facts =
  /(?:^|[ ._-])(?:ids?|uuid|type|kind|model|version|status|time|timestamp|date|at|name|key|hash|url|format|mode|lang|language)$/
const wordsIn = (field: string): string => field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()

const notSaid = /expected|reference|target|gold|label/i

export const isSaid = (field: string): boolean => !facts.test(wordsIn(field)) && !notSaid.test(field)

/** The maps that may read records, the likeliest first. `given`: what the user maps already. */
export const mapsIn = (values: readonly unknown[], given: Columns = {}): Columns[] =>
  groupsOf(values)
    .flatMap((group) => mapsOf(group, given))
    .slice(0, mostTried)

/** The names of fields that hold texts, and not only numbers or ids. */
export const textsOfGroups = (values: readonly unknown[]): string[] => {
  const fields = groupsOf(values).flatMap((group) => [...textsIn(group)])
  return [...new Set(fields.flatMap(([field, texts]) => (texts.every(isCode) ? [] : field)))]
}

function mapsOf(group: readonly object[], given: Columns): Columns[] {
  const texts = textsIn(group)
  const fields = [...texts.keys()]
  const ofField = (field: string) => texts.get(field) ?? []
  const ids = new Set([...idFieldsOf(fields), ...fields.filter((field) => ofField(field).every(isCode))])
  const length = (field: string) => ofField(field).reduce((sum, text) => sum + text.length, 0)
  const usual = (field: string, of: 'role' | 'content' = 'content') =>
    Number(usualNamesOf(of).includes(normalizedName(field)))
  const byLength = fields
    .filter((field) => isSaid(field) && !ids.has(field))
    .sort((a, b) => usual(b) - usual(a) || length(b) - length(a))
  const idsOf = fields.filter((field) => groupsRows(ofField(field)))
  const rows = fields
    .filter((field) => !ids.has(field) && namesSpeakers(ofField(field), group.length))
    .sort((a, b) => usual(b, 'role') - usual(a, 'role'))
    .flatMap((role) =>
      byLength.flatMap((content) => {
        const roles = content === role ? undefined : rolesIn(ofField(role), ofField(content), given, idsOf.length > 0)
        return roles ? [{ role, content, ...roles }] : []
      }),
    )
  const pairs = byLength
    .filter((field) => answers.test(field))
    .flatMap((assistant) =>
      byLength.filter((user) => user !== assistant && asks.test(user)).map((user) => ({ user, assistant })),
    )
  const whole = rows.filter((map) => !isOpen(map))
  const maps = [...whole, ...pairs, ...rows.filter(isOpen)].slice(0, mostOfGroup)
  return maps.flatMap((map) => {
    const used = Object.values(map)
    return [...idsOf.filter((id) => !used.includes(id)).map((id) => ({ id, ...map })), map]
  })
}

/** True for the texts of a field that names who speaks: few names that repeat, or that are roles. */
function namesSpeakers(texts: readonly string[], rows: number): boolean {
  const names = new Set(texts)
  if (texts.length < rows || [...names].some((name) => name.length > 60 || name.includes('\n'))) return false
  const known = [...names].filter((name) => aliasedRole(name) !== undefined)
  // Of two names one that is a role shows what the other is, too, in the first words of a conversation.
  return (
    known.length === names.size ||
    (names.size === 2 && known.length === 1) ||
    (known.length > 0 && names.size < rows) ||
    (names.size >= 2 && names.size <= rows / 2)
  )
}

/** True for a number or an id, such as `c-1001`. */
const isCode = (text: string): boolean => /^[\w.-]+$/.test(text) && /\d/.test(text)

/** True for ids of conversations: codes that each stand beside each other, and repeat. */
function groupsRows(texts: readonly string[]): boolean {
  const starts = texts.filter((text, at) => text !== texts[at - 1])
  const isDate = (text: string) => /^\d{4}-\d\d-\d\d/.test(text)
  return new Set(starts).size === starts.length && starts.length >= 2 && starts.length < texts.length
    ? texts.every((text) => isCode(text) && !isDate(text))
    : false
}

/**
 * The role of each name that has none by itself, as the turns show it, else `openRole`: several who answer may be people or bots.
 * Undefined if the turns do not show who asks and who answers, and no id says that the rows are those of conversations.
 */
function rolesIn(
  names: readonly string[],
  texts: readonly string[],
  given: Columns,
  hasIds: boolean,
): Columns | undefined {
  const roles: Columns = {}
  const roleOf = (name: string) => aliasedRole(name, { ...roles, ...given })
  const all = [...new Set(names)]
  for (const _ of all)
    for (const name of all) {
      const speakers = names.map((each, at): Speaker => ({ name: each, role: roleOf(each), text: texts[at] }))
      const role = roleOf(name) ?? roleShown(name, speakers)
      if (role !== undefined && aliasedRole(name, given) === undefined) roles[`role:${name}`] = role
    }
  const shown = all.map(roleOf)
  const hasBoth = shown.includes('user') && (shown.includes('assistant') || shown.includes('human_agent'))
  const answering = Object.entries(roles).filter(([field, role]) => role === 'assistant' && !namesBot(field.slice(5)))
  if (answering.length > 1) for (const [field] of answering) roles[field] = openRole
  const said = (name: string) => names.filter((each) => each === name).length
  const open = all.filter((name) => roleOf(name) === undefined).sort((a, b) => said(b) - said(a))
  for (const name of open.slice(0, mostOpen)) roles[`role:${name}`] = openRole
  if (open.length > mostOpen) roles['role:*'] = openRole
  return hasBoth || hasIds || !isOpen(roles) ? roles : undefined
}

/** Maps are tried on the records that were read so far. */
const mostOfGroup = 6
const mostTried = 24
