import { dirname, relative, sep } from 'node:path'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io.js'
import { checked, textOf } from '../../settings/read-file.js'
import { inertJson } from '../../text.js'
import { type Baseline, isComparable, type Versions } from './baseline.js'

const words = {
  what: 'the baseline',
  hint: 'correct the file; or remove it, and write it anew with --update-baseline',
}

/** The baseline in a file; undefined where there is none and one is about to be written. */
export async function readBaseline(
  io: Io,
  path: string,
  { annotator, update }: { annotator: string; update: boolean },
): Promise<Baseline | undefined> {
  const text = await textOf(io, path, words)
  if (text === undefined) {
    if (update) return undefined
    throw new CliError(exit.input, `${path}: there is no such baseline.`, {
      hint: 'give the path of one, or write it with --update-baseline',
    })
  }
  const { baselineShape, namesInBaseline } = await import('./baseline-shape.js')
  const baseline: Baseline = await checked(path, text, baselineShape, namesInBaseline, words)
  if (baseline.annotator === annotator || update) return baseline
  throw new CliError(exit.input, `${path}: the baseline is of annotator "${baseline.annotator}", not "${annotator}".`, {
    hint: `check with --annotator ${baseline.annotator}, or name another baseline`,
  })
}

/** Refuses to compare across versions, before anything is asked: what differs then may be the annotator's doing. */
export function refuseOtherVersions(path: string, baseline: Baseline, now: Versions): void {
  if (isComparable(baseline, now)) return
  const of = ({ annotator_version, taxonomy_version }: Versions) =>
    `annotator version ${annotator_version}, taxonomy version ${taxonomy_version}`
  throw new CliError(exit.notJudged, `${path}: the baseline is not comparable; nothing was sent.`, {
    details: [`the baseline has ${of(baseline)}`, `the service has ${of(now)}`],
    hint: 'look at a run without --baseline, and then accept it with --update-baseline',
  })
}

/** Writes a baseline whole or not at all; the same transcripts give the same bytes. */
export async function writeBaseline(io: Io, path: string, { transcripts, ...head }: Baseline): Promise<void> {
  const start = inertJson(head, 2).replace(/\n\}$/, ',\n  "transcripts": [')
  const lines = transcripts.map((entry, at) => `${at > 0 ? ',' : ''}\n    ${inertJson(entry)}`)
  try {
    await io.writeFile(path, [start, ...lines, `${transcripts.length > 0 ? '\n  ' : ''}]\n}\n`], true)
  } catch (cause) {
    throw new CliError(
      exit.input,
      `${path}: the baseline cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
      {
        cause,
        hint: 'name a file in a folder that exists and can be written',
      },
    )
  }
}

/** A path as the baseline keeps it: from its own folder, with forward slashes, so that it means the same on all machines. */
export const pathFrom = (io: Pick<Io, 'resolve'>, baseline: string, path: string): string =>
  path === '-'
    ? path
    : relative(dirname(io.resolve(baseline)), io.resolve(path))
        .split(sep)
        .join('/')
