const clock = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)(?:[.,](\d{1,9}))?`
const cue = new RegExp(String.raw`^\s*(${clock})\s*-->\s*(${clock})(?:\s|$)`)
const whole = new RegExp(`^${clock}$`)

/** The seconds of a time from the start of a recording, such as `00:01:02.500` or `1:02`; undefined for any other text. */
export function secondsOf(time: string): number | undefined {
  const found = whole.exec(time)
  if (!found) return undefined
  const [, hours = '0', minutes, seconds, fraction = '0'] = found
  const ms = Math.round(Number(`0.${fraction}`) * 1000)
  return (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) + ms / 1000
}

/** The seconds of a line such as `00:01.000 --> 00:02.500`, which may end in settings; undefined for any other line. */
export function cueTimes(line: string): { start: number; end: number } | undefined {
  const found = cue.exec(line)
  const start = secondsOf(found?.[1] ?? '')
  const end = secondsOf(found?.[6] ?? '')
  return start === undefined || end === undefined ? undefined : { start, end }
}
