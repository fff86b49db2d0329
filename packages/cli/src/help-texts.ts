import { helpWidth } from './help-width.js'
import type { Io } from './io.js'
import { buildProgram } from './program.js'

/** What `--help` of each command prints where it has room, by the words of the command, as in `projects list`. */
export function helpTexts(): Map<string, string> {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  const page = { isTTY: true, columns: helpWidth, write }
  const texts = new Map<string, string>()
  const gather = (command: ReturnType<typeof buildProgram>, words: string[]) => {
    text = ''
    command.outputHelp()
    texts.set(words.join(' '), text)
    for (const each of command.commands) gather(each, [...words, each.name()])
  }
  gather(
    buildProgram({ stdout: page } as Io, () => async () => {}),
    [],
  )
  return texts
}
