import { defineTextFormat, type LineMeaningOf, readerOfMessages } from '../../contract/index.js'

const start = /^# aider chat started at (\S.{0,40}?)\s*$/
/** Aider ends the lines of the user and of its own output in two blanks; Markdown of the model rarely has them. */
const lineBreak = '  '

/** The file `.aider.chat.history.md`, to which each chat in a folder is appended. */
export const aider = defineTextFormat({
  id: 'aider',
  title: 'Aider chat history',
  accepts:
    '"# aider chat started at TIME", then "#### " before lines of the user, "> " before output of Aider, and answers',
  skipsEmpty: true,
  detect: ([first = '']) => (start.test(first) ? 1 : 0),
  reader: (context) => readerOfMessages(context, lineMeanings()),
})

function lineMeanings(): LineMeaningOf {
  let model: string | undefined
  let isAfterUser = false
  /** True if the lines of the user end in blanks, so that any other `#### ` is a heading of the model. */
  let hasLineBreaks: boolean | undefined
  /** True inside of output of several lines, of which only the last ends in blanks. */
  let isOutput = false
  return (line, open) => {
    const wasAfterUser = isAfterUser
    isAfterUser = false
    const time = start.exec(line)?.[1]
    if (time !== undefined) {
      model = undefined
      isOutput = false
      return { conversation: { time } }
    }
    const asked = /^####(?:\s|$)/.test(line)
    if (asked) hasLineBreaks ??= line.endsWith(lineBreak)
    if (asked && (!hasLineBreaks || line.endsWith(lineBreak))) {
      isAfterUser = true
      isOutput = false
      const text = line.slice(5).trimEnd()
      return wasAfterUser ? text : { role: 'user', text }
    }
    const isAnswer = open?.role === 'assistant'
    if (isOutput || (line.startsWith('>') && (!isAnswer || line.endsWith(lineBreak)))) {
      if (line.trim() === '') return ''
      isOutput = hasLineBreaks === true && !line.endsWith(lineBreak)
      model = /^> (?:Main )?[Mm]odels?: (\S+)/.exec(line)?.[1] ?? model
      return { drop: 'output of Aider' }
    }
    return open === undefined || isAnswer || line.trim() === '' ? undefined : { role: 'assistant', text: line, model }
  }
}
