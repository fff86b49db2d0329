import { styleText } from 'node:util'
import { escapeHtml, escapeLine, escapeXml, hideSecrets } from '@svc/text'
import type { Io, Output, Parts } from './io/index.js'

interface Hidden {
  /** The configured keys, and those that are typed meanwhile. */
  keys: ReadonlySet<string>
  /** `keys` for data; `secrets` for settings, diagnostics and errors. */
  inStdout: 'keys' | 'secrets'
  color?: ColorFlag | undefined
}

/**
 * An Io that hides secrets: every kind on stderr and in questions; configured keys in data on stdout and in files, with a
 * warning. The user's settings, the ledger and the cache are written unchanged. The first word of a warning or a hint has its colour.
 */
export function hidingIo(io: Io, hidden: Hidden): Io {
  let hasWarned = false
  const fromMessage = (text: string) => asciiHosts(hideSecrets(text, hidden.keys))
  const fromData = (text: string) => {
    const left = hideKeys(text, hidden.keys)
    if (left !== text && !hasWarned) {
      hasWarned = true
      writeWarning(io, 'the output contained an API key of yours; it is replaced by "…"')
    }
    return left
  }
  const fromStdout = (text: string) => (hidden.inStdout === 'keys' ? fromData(text) : fromMessage(text))
  const overrides: Partial<Io> = {
    writeFile: (path, parts, mayReplace, options) => io.writeFile(path, each(parts, fromData), mayReplace, options),
    appendFile: (path, text) => io.appendFile(path, fromData(text)),
    makeTemporary: async () => {
      const file = await io.makeTemporary()
      return { ...file, append: (text) => file.append(fromData(text)) }
    },
    ask: (question, isHidden) => io.ask(fromMessage(question), isHidden),
  }
  return Object.create(io, {
    ...Object.getOwnPropertyDescriptors(overrides),
    ...lazily('stdout', () => hidingOutput(io.stdout, fromStdout)),
    ...lazily('stderr', () =>
      hidingOutput(io.stderr, (text) => toned(fromMessage(text), styleOf(io.stderr, io.env, hidden.color))),
    ),
  })
}

const hidingOutput = (output: Output, hide: (text: string) => string): Output => ({
  ...output,
  write: (text) => output.write(hide(text)),
})

/** Define a stream that is created on first use. */
function lazily(name: string, make: () => Output): PropertyDescriptorMap {
  let output: Output | undefined
  return {
    [name]: {
      get() {
        output ??= make()
        return output
      },
    },
  }
}

async function* each(parts: Parts, hide: (text: string) => string): AsyncGenerator<string> {
  for await (const part of parts) yield hide(part)
}

/** Write a warning to stderr, on one line. `--quiet` does not hide it. */
export const writeWarning = ({ stderr }: { stderr: Pick<Output, 'write'> }, text: string): void =>
  stderr.write(`warning: ${escapeLine(text)}\n`)

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan' | 'magenta'
/** Styles a text, or returns it unchanged without colour. */
export type Style = (format: Format, text: string) => string

const toned = (text: string, style: Style): string =>
  text.replace(/^(?:warning|(hint))(?=: )/gm, (word, hint?: string) => style(hint ? 'cyan' : 'yellow', word))

type ColorFlag = 'auto' | 'always' | 'never'

/** True if a stream is coloured: decided by the flag, NO_COLOR, FORCE_COLOR, then by whether it is a terminal. */
export function wantsColor(output: Pick<Output, 'isTTY'>, env: Io['env'], flag: ColorFlag = 'auto'): boolean {
  if (flag !== 'auto') return flag === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR)
  return output.isTTY && env.TERM !== 'dumb'
}

export function styleOf(output: Output, env: Io['env'], flag?: ColorFlag): Style {
  if (!wantsColor(output, env, flag)) return (_, text) => text
  // Without this option, styleText would check the streams of the process.
  return (format, text) => styleText(format, text, { validateStream: false })
}

/** Hide the configured keys in data, also as escaped in JSON, XML, HTML and tables. Everything else stays the same. */
function hideKeys(text: string, keys: Iterable<string>): string {
  let left = text
  for (const form of [...keys].flatMap(writtenForms)) {
    // A key of digits only must not hide a number in JSON.
    if (left.includes(form)) left = /^\d+$/.test(form) ? left.replace(apart(form), '…') : left.replaceAll(form, '…')
  }
  return left
}

function writtenForms(key: string): string[] {
  if (!/[&<>"'|\\]/.test(key)) return [key]
  const json = JSON.stringify(key).slice(1, -1)
  return [key, json, json.replaceAll('<', '\\u003c'), escapeXml(key), escapeHtml(key), key.replaceAll('|', '\\x7c')]
}

const apart = (digits: string) => new RegExp(`(?<!(?:":|[,[])\\s*)${digits}`, 'g')

/** Show a host as ASCII (`xn--…`) if one of its labels mixes scripts, because their letters can look alike. */
const asciiHosts = (text: string): string =>
  ascii.test(text)
    ? text
    : text.replace(host, (all: string) => (all.split('.').some(mixesScripts) ? asciiOf(all) : all))

const asciiOf = (name: string): string => (URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name)

const ascii = /^[\0-\x7f]*$/

const host = /(?<=:\/\/(?:…@)?)[^\s/?#"'<>\\@:…]+/g

/** Japanese, Korean and Chinese scripts may be mixed. */
const scripts = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari', 'Thai', 'Cherokee'].map(
    (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
  ),
]

const mixesScripts = (label: string): boolean => scripts.filter((script) => script.test(label)).length > 1

/** True in a CI. `CI=false` and `CI=0` say that this is none, as an empty variable does. */
export const isCi = ({ env }: Pick<Io, 'env'>): boolean => !['', '0', 'false'].includes(env.CI?.toLowerCase() ?? '')
