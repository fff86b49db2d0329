/** Whether a user's last words only close the talk: thanks or farewell, and nothing asked. */
export function isClosing(content: string): boolean {
  // A run of `#` is tried from its beginning alone: from each of its characters, a long run takes seconds.
  const text = content.replace(/(?<!#)#+[A-Z]+#+/g, ' ').trim()
  if (text === '') return true
  if (text.length > 300 || text.includes('?')) return false
  if (/\b(?:please|can you|could you|would you|i (?:really )?(?:need|want)|transfer|help me)\b/i.test(text))
    return false
  return /\b(?:thanks|thank you|thx|cheers|bye|goodbye|appreciate|that(?:'|’)?s (?:all|it)|that is all|great|perfect|never ?mind)\b/i.test(
    text,
  )
}

/** Whether a tool's result is an error, as text or as JSON. */
export function isToolError(content: string): boolean {
  const text = content.replace(/^\s*\[tool[_ ]result[^\]\n]{0,200}\]/i, '').trim()
  if (
    /^(?:\w{0,40}(?:error|exception)\b|traceback \(most recent|failed\b|fatal\b|panic:|command not found)/i.test(text)
  ) {
    return true
  }
  if (!text.startsWith('{')) return false
  try {
    return isErrorRecord(JSON.parse(text) as Record<string, unknown>)
  } catch {
    return false
  }
}

/** The first tool call written into a message, such as `[tool_call search] {"q":"x"}`, up to the end of its line. */
export const toolCallOf = (content: string): string | undefined =>
  content.includes('[') ? /\[tool[_ ]call\b[^\n]*/i.exec(content)?.[0] : undefined

/** Whether two texts of three words or more are the same, or share four words of five. */
export function similar(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size < 3 || other.size < 3) return false
  const total = one.size + other.size
  /** As many as they share, if all the words that were not looked at are shared. */
  let shared = one.size
  for (const word of one) {
    if (other.has(word)) continue
    shared -= 1
    if (shared / (total - shared) < 0.8) return false
  }
  return shared / (total - shared) >= 0.8
}

/** The words of a text, each once, in lower case. */
export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

function isErrorRecord({ error, is_error, isError, status, success }: Record<string, unknown>): boolean {
  if (is_error === true || isError === true || success === false) return true
  if (typeof status === 'string' && /^(?:error|failed|failure)$/i.test(status)) return true
  return error !== undefined && error !== null && error !== false && error !== ''
}
