/** A range of a text in UTF-16 code units; `end` is exclusive. */
export type Range = readonly [start: number, end: number]

/** Finds the ranges of a text to redact: in order, not empty, not overlapping. */
export type Finder = (text: string) => readonly Range[]

/**
 * The built-in kinds. The check digits of `cards` and `ibans` are verified; `ssns` are social security numbers of the United
 * States.
 */
export type RedactKind = 'emails' | 'phones' | 'cards' | 'ibans' | 'ssns'

/** The label of a kind's placeholders, its finder, and the normalized form that is equal for all spellings of a value. */
export interface Kind {
  label: string
  find: Finder
  normalize(value: string): string
}

const digitsOf = (value: string) => value.replace(/\D/g, '')

export const kinds: Record<RedactKind, Kind> = {
  emails: { label: 'email', find: emailsIn, normalize: (value) => value.toLowerCase() },
  ibans: { label: 'iban', find: ibansIn, normalize: (value) => value.replaceAll(' ', '').toUpperCase() },
  cards: { label: 'card', find: cardsIn, normalize: digitsOf },
  ssns: { label: 'ssn', find: ssnsIn, normalize: digitsOf },
  phones: { label: 'phone', find: phonesIn, normalize: digitsOf },
}

const domain = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:xn--[a-z\d-]{2,59}|\p{L}{2,63})/uy
const inLocalPart = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const longestLocalPart = 64

/** Searches outwards from each `@`: a pattern from the left would try every word. */
function emailsIn(text: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const start = startOfLocalPart(text, found.at(-1)?.[1] ?? 0, at)
    domain.lastIndex = at + 1
    const [host = ''] = (start < at && domain.exec(text)) || []
    if (host) found.push([start, at + 1 + host.length])
  }
  return found
}

/** The start of the at most 64 characters before an `@`. */
function startOfLocalPart(text: string, from: number, at: number): number {
  let start = at
  for (let length = 0; length < longestLocalPart && start > from; length++) {
    const isPair = start - 2 >= from && (text.codePointAt(start - 2) ?? 0) > 0xffff
    const before = isPair ? start - 2 : start - 1
    if (!inLocalPart.test(text.slice(before, start))) break
    start = before
  }
  return start
}

function ibansIn(text: string): Range[] {
  const found: Range[] = []
  const like = /(?<![a-z0-9])[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?(?![a-z0-9])/gi
  for (let match = like.exec(text); match; match = like.exec(text)) {
    const { 0: groups, index } = match
    like.lastIndex = index + 4
    // The next word may look like the last group of the number.
    for (let end = groups.length; end > 0; end = groups.lastIndexOf(' ', end - 1)) {
      if (!isIban(groups.slice(0, end).replaceAll(' ', ''))) continue
      found.push([index, index + end])
      like.lastIndex = index + end
      break
    }
  }
  return found
}

/** Checks the digits of ISO 13616: the rearranged number modulo 97 is 1. */
function isIban(value: string): boolean {
  if (value.length < 15 || value.length > 34) return false
  let remainder = 0
  for (const character of value.slice(4) + value.slice(0, 4)) {
    const number = Number.parseInt(character, 36)
    remainder = (remainder * (number > 9 ? 100 : 10) + number) % 97
  }
  return remainder === 1
}

/** A card number may stand among other groups of digits, so every run of groups is tried, the longest first. */
function cardsIn(text: string): Range[] {
  const found: Range[] = []
  for (const { 0: digits, index } of text.matchAll(/\d(?:[ -]?\d){12,}/g)) {
    const groups = [...digits.matchAll(/\d+/g)].map(rangeOf)
    const isFraction = /(?:^|\D)0\.$/.test(text.slice(Math.max(0, index - 3), index))
    for (let first = isFraction ? 1 : 0; first < groups.length; first++) {
      const last = lastOfCard(digits, groups, first)
      if (last === undefined) continue
      found.push([index + (groups[first] as Range)[0], index + (groups[last] as Range)[1]])
      first = last
    }
  }
  return found
}

function lastOfCard(digits: string, groups: Range[], first: number): number | undefined {
  let number = ''
  let last: number | undefined
  for (let at = first; at < groups.length && number.length < 19; at++) {
    const [start, end] = groups[at] as Range
    if (end - start > 19) break
    number += digits.slice(start, end)
    if (isCard(number)) last = at
  }
  return last
}

/** Checks length, issuer and check digit (ISO/IEC 7812). */
function isCard(number: string): boolean {
  if (!/^(?:3[0-9]|[456]\d|2[2-7])\d{11,17}$/.test(number)) return false
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i])
    const doubled = i % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0 && !/^(\d)\1+$/.test(number)
}

const ssn = /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g

function ssnsIn(text: string): Range[] {
  return [...text.matchAll(ssn)].map(rangeOf)
}

const startOfPhone = /[+(\d]/g
/** Tried in this order at each possible start. */
const phones = [
  // +49 (0)30 123456
  /\+[1-9](?:[ ()./-]{0,2}\d){7,14}(?!\d)/y,
  // (415) 555-2671, 1-415-555-2671, 415.555.2671
  /(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?![\w-])/y,
  // 030 1234567, 0171/2345678, 06 12 34 56 78
  /0\d{1,4}(?:[ /-]\d{2,8}){1,5}(?![\w:-])/y,
]

/** Matches the text before a match that is part of a longer number or word. */
const isContinuation = (number: string) =>
  number.startsWith('+') ? /[\w+]$/ : number.startsWith('0') ? /[\w+]$|\d[.,:/ -]$/ : /[\w+]$|\d[.-]$/

/** A number may follow another one directly. */
function phonesIn(text: string): Range[] {
  const found: Range[] = []
  startOfPhone.lastIndex = 0
  for (let start = startOfPhone.exec(text); start; start = startOfPhone.exec(text)) {
    const { index } = start
    const value = phoneAt(text, index)
    if (value === undefined) continue
    const before = text.slice(Math.max(found.at(-1)?.[1] ?? 0, index - 2), index)
    if (isContinuation(value).test(before) || !isPhone(value) || hasGroupsOfSsn.test(value)) continue
    found.push([index, index + value.length])
    startOfPhone.lastIndex = index + value.length
  }
  return found
}

function phoneAt(text: string, index: number): string | undefined {
  for (const phone of phones) {
    phone.lastIndex = index
    const value = phone.exec(text)?.[0]
    if (value !== undefined) return value
  }
  return undefined
}

function isPhone(value: string): boolean {
  const { length } = digitsOf(value)
  return length <= 15 && (value.startsWith('+') ? length >= 8 : length >= 9 && !isDate.test(value))
}

/** The groups of a social security number of the United States. No phone number has them. */
const hasGroupsOfSsn = /^\d{3}([- ])\d{2}\1\d{4}$/

/** 01/02/2026 10, 02-03-2026 */
const isDate = /^\d{1,2}([/-])\d{1,2}\1\d{4}/

export const rangeOf = (match: RegExpMatchArray | RegExpExecArray): Range => {
  const start = match.index ?? 0
  return [start, start + match[0].length]
}
