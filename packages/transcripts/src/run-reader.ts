import { type Format, type Notes, placeIn, type Reader } from './format.js'
import { describe, isObject, type JsonObject } from './json.js'
import { TraceLog } from './trace-log.js'
import { type Place, within } from './turn.js'

/** A run of a log and where it stands. */
interface PlacedRun {
  run: JsonObject
  place: Place
}

/**
 * A reader of runs, which may come in any order. `read` adds the runs of a record to the log and returns whether there
 * are any; a record without runs is reported.
 */
export function readerOfRuns(
  { id, accepts }: Pick<Format, 'id' | 'accepts'>,
  notes: Notes,
  read: (value: JsonObject, place: Place, log: TraceLog) => boolean,
): Reader {
  const log = new TraceLog()
  return {
    take(record) {
      const { value } = record
      const place = placeIn(record)
      const isRead = isObject(value) && read(value, place, log)
      if (!isRead) notes.report(`expected ${accepts}; found ${describe(value)}`, place)
      return []
    },
    end: () => log.drafts(id, notes),
  }
}

/** The run that a value is, or those of the list that it holds in a field. */
export function runsIn(
  value: JsonObject,
  place: Place,
  field: string,
  isRun: (run: JsonObject) => boolean,
): PlacedRun[] {
  return isRun(value) ? [{ run: value, place }] : objectsIn(value, place, field)
}

/** The score of a record that is a run, or holds a list of runs. */
export function scoreOfRuns(value: unknown, field: string, isRun: (run: JsonObject) => boolean): number {
  if (!isObject(value)) return 0
  if (isRun(value)) return 0.95
  const list = value[field]
  return Array.isArray(list) && isObject(list[0]) && isRun(list[0]) ? 0.95 : 0
}

/** The objects of a list that an object holds in a field. */
export function objectsIn(value: JsonObject, place: Place, field: string): PlacedRun[] {
  const list: readonly unknown[] = Array.isArray(value[field]) ? value[field] : []
  const at = within(place, field)
  return list.flatMap((run, index) => (isObject(run) ? [{ run, place: within(at, index) }] : []))
}
