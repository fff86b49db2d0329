import { readContract } from '@svc/reference-server/contract'
import { escapeLine } from '@svc/text'
import { settingsBound } from './config/index.js'
import { CliError, exit } from './exit.js'
import type { Io } from './io/index.js'

/** A file of `svc contract --save`. */
export async function readSavedService(io: Io, path: string) {
  try {
    return readContract(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await io.readFile(path, settingsBound))),
    )
  } catch (cause) {
    io.stop.throwIfAborted()
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'The file does not exist.' : message
    throw new CliError(exit.input, `Cannot use the saved service ${escapeLine(path)}.`, {
      details: [escapeLine(why)],
      hint: '`svc contract --save FILE` writes such a file',
      cause,
    })
  }
}

/** Shorter lags are not kept: the default is safe for them. */
const defaultListLagMs = 15_000

/** The settings that follow from a saved service, and where they come from. None if the defaults are right. */
export function settingsFrom(saved: Awaited<ReturnType<typeof readSavedService>>, path: string) {
  const { listLagMs, filterLagMs, metadata } = saved.ambiguities
  // A lag that outlasted the measurement counts as twice the time that was waited.
  const lags = [listLagMs, filterLagMs].map((seen) =>
    seen === undefined ? 0 : 'reading' in seen ? seen.reading + saved.poll_ms : 2 * (seen.aboveMs ?? 0),
  )
  const longestMs = Math.ceil(Math.max(...lags) / 1000) * 1000
  const keptStamp = metadata && 'reading' in metadata ? !['stripped', 'svc refused'].includes(metadata.reading) : true
  const settings = {
    ...(longestMs > defaultListLagMs && { listLag: `${longestMs / 1000}s` }),
    ...(!keptStamp && { stamp: 'false' }),
  }
  return { settings, seen: `${path} of ${saved.at.slice(0, 10)}` }
}
