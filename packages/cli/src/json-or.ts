/** What a JSON text says; for any other text, something else. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}
