import { asList, asObject, isObject, objectsOf, textOf } from '../../json/index.js'
import type { Losses } from '../../model/index.js'

/** The text of a result of VS Code: texts, or nodes of a prompt with texts in them. */
export function resultText(content: unknown, losses: Losses): string {
  if (typeof content === 'string') return content
  const texts = objectsOf(content).flatMap(({ value }) => {
    const node = asObject(value).node
    if (node === undefined) return textOf(value) ?? []
    const pieces = textsIn(node)
    losses.noteEach(pieces.map(({ text }) => text))
    return pieces.map(({ text, breaks }, index) => (breaks && index > 0 ? `\n${text}` : text)).join('')
  })
  losses.noteEach(texts)
  return texts.join('\n')
}

interface Piece {
  text: string
  breaks: boolean
}

function textsIn(node: unknown): Piece[] {
  if (!isObject(node)) return []
  const { lineBreakBefore } = node
  const text = textOf(node.text)
  const own = text !== undefined ? [{ text, breaks: lineBreakBefore === true }] : []
  return [...own, ...asList(node.children).flatMap(textsIn)]
}
