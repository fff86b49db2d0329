import { systemClock } from '@svc/reference-server/core'
import {
  type Rule as ContractRule,
  createTrial,
  type Service,
} from '../../../../packages/reference-server/src/contract/rules/index.js'
import type { Keys, Rule, Trial } from './rule.js'

/** The names that the contract gives to the keys of a trial. */
const kinds = {
  annotation: 'full',
  workspace: 'full',
  reader: 'reader',
  writer: 'writer',
  legacy: 'legacy',
  foreign: 'foreign',
  revoked: 'revoked',
} as const satisfies Record<string, keyof Keys>

/** A rule of the contract as a rule of a trial: over any transport, and with everything permitted. */
export const overTrial = ({ name, source, run }: ContractRule): Rule => ({
  name,
  source,
  run: (trial) => run(createTrial({ service: serviceOver(trial), runId: 'trial', pollMs: 1, maxLagMs: 0 })),
})

const serviceOver = ({ ask, keys }: Trial): Service => ({
  ask,
  key: (name) => keys[kinds[name]],
  exchanges: [],
  requests: 0,
  created: { projects: 0, transcripts: 0, annotations: 0 },
  allowUploads() {},
  clock: systemClock,
  signal: new AbortController().signal,
  permit: { createProjects: true, annotations: true, sizes: true },
  now: () => 0,
})
