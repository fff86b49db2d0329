import { parseDuration } from '@svc/text'
import { InvalidArgumentError } from 'commander'

/** Milliseconds from `30s`, `2m`, `500ms` or a number of seconds. */
export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Expected a duration such as 500ms, 30s or 2m.')
  return ms
}
