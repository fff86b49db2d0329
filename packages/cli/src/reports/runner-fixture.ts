/** A workflow command as GitHub understands it. */
export interface Command {
  name: string
  properties: Record<string, string>
  data: string
}

/** The characters at which whatever reads a job's output may end a line. */
const lineEnds = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

const unescaped = (text: string, codes: [code: string, character: string][]): string =>
  codes.reduce((rest, [code, character]) => rest.replaceAll(code, character), text)

const ofData: [string, string][] = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
]
const ofProperty: [string, string][] = [['%3A', ':'], ['%2C', ','], ...ofData]

/** The commands in what a job prints, in their present form at the beginning of a line and their former one anywhere. */
export const commandsIn = (output: string): Command[] =>
  output.split(lineEnds).flatMap((line) => presentIn(line.trimStart()) ?? formerIn(line) ?? [])

function presentIn(line: string): Command | undefined {
  const end = line.indexOf('::', 2)
  if (!line.startsWith('::') || end < 0) return undefined
  const [name = '', ...rest] = line.slice(2, end).split(' ')
  const properties = rest.join(' ').split(',').filter(Boolean)
  return {
    name,
    properties: Object.fromEntries(
      properties.map((property) => {
        const at = property.indexOf('=')
        return [property.slice(0, at), unescaped(property.slice(at + 1), ofProperty)]
      }),
    ),
    data: unescaped(line.slice(end + 2), ofData),
  }
}

/** `##[name]data`, and what else other services have in such a place. */
function formerIn(line: string): Command | undefined {
  const [, name, data = ''] = /##(\w*\[[^\]]*)\](.*)/.exec(line) ?? []
  return name === undefined ? undefined : { name, properties: {}, data }
}
