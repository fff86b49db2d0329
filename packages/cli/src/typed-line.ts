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
