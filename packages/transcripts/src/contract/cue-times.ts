const clock = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)(?:[.,](\d{1,9}))?`
const cue = new RegExp(String.raw`^\s*${clock}\s*-->\s*${clock}(?:\s|$)`)

/** The seconds of a line such as `00:01.000 --> 00:02.500`, which may end in settings; undefined for any other line. */
export function cueTimes(line: string): { start: number; end: number } | undefined {
  const found = cue.exec(line)
  return found ? { start: secondsOf(found.slice(1, 5)), end: secondsOf(found.slice(5, 9)) } : undefined
}

function secondsOf([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  // Whole milliseconds, because a sum of fractions is not exact.
  const ms = Math.round(Number(`0.${fraction}`) * 1000)
  return ((Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 + ms) / 1000
}
