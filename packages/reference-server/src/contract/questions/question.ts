import type { Ambiguities } from '../../ambiguities/index.js'
import type { Trial } from '../trial.js'
import type { ListSurvey, Probes } from './list-survey.js'

/** What questions share. Each part is asked once, when it is first needed. */
export interface Survey {
  trial: Trial
  /** Two uploads into the project of the run, which is filled before. */
  probes(): Promise<Probes>
  /** The list of the project of the run. */
  list(): Promise<ListSurvey>
  filters(): Promise<Filters>
  /** Asked after every other question about the list: it may add transcripts. */
  total(): Promise<Total>
}

export interface Filters {
  filters: Ambiguities['filters']
  lagMs?: number
}

export interface Total {
  total: Ambiguities['total']
  cap?: number
}

/** Ask for the reading of an ambiguity. Throws `NotTried` with the reason if no reading was seen. */
export type Question<Name extends keyof Ambiguities> = (survey: Survey) => Promise<Ambiguities[Name]>

export type Questions<Name extends keyof Ambiguities = keyof Ambiguities> = { readonly [Key in Name]: Question<Key> }
