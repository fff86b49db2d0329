interface Terminal {
  input: NodeJS.ReadStream
  write(text: string): void
  signal: AbortSignal
}

/** Ask for one line on a terminal. Ctrl-C rejects with `'SIGINT'`, as the signal does; a closed terminal gives an empty line. */
export function askLine({ input, write, signal }: Terminal, question: string, hidden: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: TypedLine = { text: '' }
    // Before the question, so that an immediate answer is not shown.
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

/** The output that turns one text into the other, with the cursor at its end. */
function edited(before: string, after: string): string {
  return after.startsWith(before) ? after.slice(before.length) : '\b \b'.repeat([...before].length) + after
}

/** A line that is typed on a terminal in raw mode. */
export interface TypedLine {
  text: string
  end?: 'entered' | 'interrupted' | 'closed'
}

/** Escape sequences: marks of a paste, and keys such as the arrows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins what a terminal sends for a key
const sequence = /\u001b(?:\[[0-9;?]*[@-~]|O.|.)?/g

/** The line after more input. A line break before the first character of a paste is ignored. */
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
