import { asciiHosts } from '../ascii-hosts.js'
import type { Parts } from '../disk.js'
import type { Io, Output } from '../io.js'
import { tellWarning } from '../tell-warning.js'
import { hideKeys, hideSecrets } from './hide.js'

/** What is hidden in everything that a command writes. */
export interface Hidden {
  /** The configured keys. */
  keys: Set<string>
  /** Whether stdout shows settings, diagnostics or an error, in which every secret is hidden, and no data. */
  inStdout: 'keys' | 'secrets'
}

/**
 * The world of a command that shows no secret: on stderr and in questions none of any kind, in data on stdout and in files
 * no configured key, with a warning. The user's settings, the ledger and the cache are written as they are.
 */
export function hidingIo(io: Io, hidden: Hidden): Io {
  let isTold = false
  const fromMessage = (text: string) => asciiHosts(hideSecrets(text, hidden.keys))
  const fromData = (text: string) => {
    const left = hideKeys(text, hidden.keys)
    if (left !== text && !isTold) {
      isTold = true
      tellWarning(io, 'the output holds an API key of yours; "…" stands in its place')
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

/** A stream of the process is made when it is first asked for. */
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
