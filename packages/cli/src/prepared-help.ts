import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file that the build writes the texts of `help-texts.ts` to, beside the command. */
const file = 'help.json'

/** The texts of help by the words of their commands; where there are none, help comes from the parser. */
export function preparedHelp(folder: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'))
  } catch {
    return {}
  }
}
