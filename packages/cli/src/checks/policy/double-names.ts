/** A name that an object has already, and where it stands again: line and column count from 1, the column in characters. */
export interface DoubleName {
  pointer: string
  line: number
  column: number
}

interface Frame {
  /** The names that an object has so far; undefined in a list. */
  names: Set<string> | undefined
  /** The name, or the place in the list, of what comes. */
  step: string | number
}

const tokens = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|[{}[\],:]/gs

/** The names that come twice in an object of a text that is JSON: a parser takes the last one, and says nothing. */
export function doubleNames(text: string): DoubleName[] {
  const doubles: DoubleName[] = []
  const frames: Frame[] = []
  let isName = false
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const frame = frames.at(-1)
    if (token === '{' || token === '[') frames.push({ names: token === '{' ? new Set() : undefined, step: 0 })
    else if (token === '}' || token === ']') frames.pop()
    else if (token === ',' && frame && !frame.names) frame.step = Number(frame.step) + 1
    else if (isName && frame?.names && token !== ',') {
      const name = JSON.parse(token) as string
      frame.step = name
      if (frame.names.has(name)) doubles.push({ pointer: pointerOf(frames), ...placeAt(text, index) })
      frame.names.add(name)
    }
    isName = token === '{' || token === ','
  }
  return doubles
}

const pointerOf = (frames: readonly Frame[]): string =>
  frames.map(({ step }) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function placeAt(text: string, index: number): Pick<DoubleName, 'line' | 'column'> {
  const lines = text.slice(0, index).split(/\r\n|[\r\n]/)
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
