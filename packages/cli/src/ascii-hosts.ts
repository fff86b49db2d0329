import { domainToASCII } from 'node:url'

/**
 * Show a host of a URL as ASCII (`xn--…`) where one of its labels mixes scripts, because a letter of one can look like
 * that of another. A host in one script stays as it is.
 */
export const asciiHosts = (text: string): string =>
  ascii.test(text)
    ? text
    : text.replace(host, (all: string) => (all.split('.').some(mixesScripts) ? domainToASCII(all) || all : all))

const ascii = /^[\0-\x7f]*$/

/** A user and a password before it are hidden already. */
const host = /(?<=:\/\/(?:…@)?)[^\s/?#"'<>\\@:…]+/g

/** Japanese, Korean and Chinese are written in several. */
const scripts = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari', 'Thai', 'Cherokee'].map(
    (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
  ),
]

const mixesScripts = (label: string): boolean => scripts.filter((script) => script.test(label)).length > 1
