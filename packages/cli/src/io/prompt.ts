interface Terminal {
  input: NodeJS.ReadStream
  write(text: string): void
  signal: AbortSignal
}

/**
 * Asks on a terminal for one line, and shows what is typed unless it is to stay hidden. Ctrl-C rejects with `'SIGINT'`,
 * as if the signal had come; a closed terminal gives an empty line.
 */
export function askLine({ input, write, signal }: Terminal, question: string, hidden: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: TypedLine = { text: '' }
    // Before the question: nobody types a secret before they are asked, but at once after.
    input.setRawMode(true)
    const settle = (finish: () => void) => {
      input.off('data', take).off('end', close).off('error', close)
      signal.removeEventListener('abort', stop)
      input.setRawMode(false)
      input.pause()
      write('\n')
      finish()
    }
    const stop = () => settle(() => reject(signal.reason))
    const close = () => settle(() => resolve(''))
    const take = (chunk: Buffer | string) => {
      const before = line.text
      line = typeMore(line, String(chunk))
      if (!hidden) write(edited(before, line.text))
      if (line.end === 'interrupted') settle(() => reject('SIGINT'))
      else if (line.end) settle(() => resolve(line.text))
    }
    input.on('data', take).on('end', close).on('error', close)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) return stop()
    write(question)
    input.resume()
  })
}

/** What turns one text into the other on a terminal that stands at its end. */
function edited(before: string, after: string): string {
  return after.startsWith(before) ? after.slice(before.length) : '\b \b'.repeat([...before].length) + after
}

/** A line as it is typed, key by key, on a terminal that shows and edits nothing by itself. */
export interface TypedLine {
  text: string
  /** How it ended; undefined while it goes on. */
  end?: 'entered' | 'interrupted' | 'closed'
}

/** A paste is marked by these on terminals that do so; other sequences are keys such as the arrows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins what a terminal sends for a key
const sequence = /\u001b(?:\[[0-9;?]*[@-~]|O.|.)?/g

/** The line after more has been typed or pasted. A line break before the first character of a paste is no answer. */
export function typeMore(line: TypedLine, typed: string): TypedLine {
  const keys = [...typed.replace(sequence, '')]
  let text = line.text
  for (const [index, key] of keys.entries()) {
    if (key === '\r' || key === '\n') {
      const isPasted = text === '' && keys.slice(index).some((each) => each > ' ')
      if (!isPasted) return { text, end: 'entered' }
    } else if (key === '\u0003') return { text: '', end: 'interrupted' }
    else if (key === '\u0004') return text === '' ? { text, end: 'closed' } : { text, end: 'entered' }
    else if (key === '\u007f' || key === '\b') text = [...text].slice(0, -1).join('')
    else if (key === '\u0015') text = ''
    else if (key >= ' ') text += key
  }
  return { text }
}
