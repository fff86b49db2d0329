import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Write the skeleton of a format below a checkout, in a folder of its own: the format, its cases, its part of the reference. Returns their paths. */
export function newFormat(root: string, id: string, { isText = false } = {}): string[] {
  if (!/^[a-z\d]+(-[a-z\d]+)*$/.test(id))
    throw new Error(`"${id}" is not lower-case words with hyphens, such as my-bot`)
  const path = join(root, 'packages/transcripts/src/formats', id, id)
  const files = {
    [`${path}.ts`]: isText ? textFormat(id) : jsonFormat(id),
    [`${path}.cases.txt`]: isText ? textCases(id) : jsonCases(id),
    [`${path}.md`]: page,
  }
  for (const [path, text] of Object.entries(files)) {
    if (existsSync(path)) throw new Error(`${path} already exists`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return Object.keys(files)
}

const nameOf = (id: string) => id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()).replace(/^\d/, '_$&')

const accepts = '{ "id", "messages": [{ "sender", "text" }] }'

const jsonFormat = (id: string) => `import { defineFormat } from '../../contract/index.js'

/** TODO: the program that writes such files. */
export const ${nameOf(id)} = defineFormat({
  id: '${id}',
  title: 'TODO: the name of the product',
  accepts: '${accepts}',
  // TODO: what only its files have.
  signature: { 'TODO messages[].TODO': 0.9 },
  conversation: { externalId: 'id' },
  messages: 'messages',
  role: 'TODO',
  roles: { user: 'TODO', assistant: 'TODO' },
  text: 'TODO',
})
`

const jsonCases = (
  id: string,
) => `# TODO: a "#" begins a case with its name; lines with ">" are a file, and the lines after them are what it is read as
> {"id":"c-1","messages":[{"sender":"customer","text":"Where is it?"},{"sender":"bot","text":"On its way."}]}
transcript ${id} 1 {"sourceSystem":"${id}","externalId":"c-1"}
  user 1/messages/0 "Where is it?"
  assistant 1/messages/1 "On its way."
# TODO: "options" are those of parse, as JSON; a file that is no transcript is refused
options {"format":"${id}"}
> {"id":"c-1"}
refused line 1, column 1: expected ${accepts}; found an object with keys id
`

const textAccepts = 'TODO: its first line, then lines such as "Ann: Hello"'

const textFormat = (id: string) => `import { defineTextFormat, speakerLine } from '../../contract/index.js'

/** TODO: what only the first line of such a file has. */
const firstLine = /^TODO/

/** TODO: the program that writes such files. */
export const ${nameOf(id)} = defineTextFormat({
  id: '${id}',
  title: 'TODO: the name of the product',
  accepts: '${textAccepts}',
  detect: ([first = '']) => (firstLine.test(first) ? 0.9 : 0),
  // TODO: what each line means; a line that is undefined continues the message before it.
  lineMeaning: (line) => (firstLine.test(line) ? { conversation: { name: line } } : speakerLine(line)),
})
`

const textCases = (
  id: string,
) => `# TODO: a "#" begins a case with its name; lines with ">" are a file, and the lines after them are what it is read as
> Call of Monday
> Customer: Where is it?
> Bot: On its way.
> It comes today.
transcript ${id} 1 {"name":"Call of Monday","sourceSystem":"${id}"}
  user 2 "Where is it?" {"metadata":{"speaker":"Customer"}}
  assistant 3 "On its way.\\nIt comes today." {"metadata":{"speaker":"Bot"}}
# TODO: "options" are those of parse, as JSON; a file that is no transcript is refused
options {"format":"${id}"}
> {"id":"c-1"}
refused line 1, column 1: expected ${textAccepts}; found an object with keys id
`

const page = `TODO: where a user finds the files; what is kept or lost, if it surprises.
`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { text: { type: 'boolean' } } })
  const [id = ''] = positionals
  const root = fileURLToPath(new URL('../..', import.meta.url))
  try {
    for (const path of newFormat(root, id, { isText: values.text === true })) console.log(path.slice(root.length))
    console.log(
      `Replace each TODO, then run: npx vitest run test/features/formats/page.test.ts test/features/formats/readers.test.ts test/features/formats/cases.test.ts -u`,
    )
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 2
  }
}
