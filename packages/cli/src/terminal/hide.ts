import { asciiHosts, hideKeys, hideSecrets } from '@svc/text'
import type { Io, Output, Parts } from '../io/index.js'
import { writeWarning } from './lines.js'

export interface Hidden {
  /** The configured keys. */
  keys: Set<string>
  /** `keys` for data; `secrets` for settings, diagnostics and errors. */
  inStdout: 'keys' | 'secrets'
}

/**
 * An Io that hides secrets: every kind on stderr and in questions; configured keys in data on stdout and in files, with a
 * warning. The user's settings, the ledger and the cache are written unchanged.
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
  const own: Partial<Io> = {
    writeFile: (path, parts, mayReplace, options) => io.writeFile(path, each(parts, fromData), mayReplace, options),
    appendFile: (path, text) => io.appendFile(path, fromData(text)),
    makeTemporary: async () => {
      const file = await io.makeTemporary()
      return { ...file, append: (text) => file.append(fromData(text)) }
    },
    ask: (question, isHidden) => io.ask(fromMessage(question), isHidden),
  }
  return Object.create(io, {
    ...Object.getOwnPropertyDescriptors(own),
    ...lazily('stdout', () => over(io.stdout, fromStdout)),
    ...lazily('stderr', () => over(io.stderr, fromMessage)),
  })
}

const over = (output: Output, hide: (text: string) => string): Output => ({
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
