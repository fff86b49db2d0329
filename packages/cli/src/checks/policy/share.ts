/** `5%` or `0.05`, from 0 to 1; undefined when it is neither. */
export function parseShare(text: string): number | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(text) ?? []
  const value = Number(number) / (percent ? 100 : 1)
  return value >= 0 && value <= 1 ? value : undefined
}
